"""Searches for a schedule with which a program fails, and shrinks it to what is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from antechamber.chaos.draw import draw
from antechamber.chaos.shrink import Rule, shrink
from antechamber.chaos.trial import RunTrial, Trial

REPEATS = 3
_OUTPUT_LINES_MAX = 20


class Found(NamedTuple):
    """Rules with which a run failed."""

    rules: list[Rule]
    trial: Trial
    seed: int | None = None


class Search:
    """Runs schedules one after the other; *report* receives one line for each step.

    ``rules`` and ``fired`` count the rules of all runs, and those that fired in their run.
    """

    def __init__(self, run: RunTrial, report: Callable[[str], None], shrink_runs: int) -> None:
        self._run, self._report, self._shrink_runs = run, report, shrink_runs
        self.rules = self.fired = 0

    def without_faults(self) -> Trial:
        """Run without rules: a program that fails then is not tested by any schedule."""
        trial = self._reported("without faults", [])
        if trial.outcome.failed:
            self._report_output(trial)
        return trial

    def seeds(self, seeds: Iterable[int], brokers: int) -> Found | None:
        """Run the schedule of each seed until one fails; return it shrunk, or None."""
        for seed in seeds:
            found = self.schedule(f"seed {seed}", draw(seed, brokers))
            if found is not None:
                return found._replace(seed=seed)
        return None

    def schedule(self, name: str, rules: list[Rule]) -> Found | None:
        """Run a schedule; return it shrunk if it fails, else None."""
        trial = self._reported(name, rules)
        if not trial.outcome.failed:
            return None
        self._report_output(trial)
        found = Found(rules, trial)
        return self._shrunk(name, found) if self._shrink_runs else found

    def _shrunk(self, name: str, found: Found) -> Found:
        """The smallest schedule that fails in the same way."""
        if not self._repeats(name, found):
            self._report(f"{name}: {REPEATS} repetitions did not fail; the schedule is not shrunk")
            return found
        best = found

        def fails(rules: list[Rule]) -> bool:
            nonlocal best
            trial = self._reported(f"{name}: with {_count(rules)}", rules)
            if trial.outcome.exit_code != found.trial.outcome.exit_code:
                return False
            best = Found(rules, trial)
            return True

        # A rule that has not fired is not needed, if the program behaves the same again.
        fired = [rule for at, rule in enumerate(found.rules) if at in found.trial.fired]
        begin = fired if len(fired) < len(found.rules) and fails(fired) else found.rules
        shrink(begin, fails, self._shrink_runs)
        self._report(f"{name}: {_count(found.rules)} shrunk to {len(best.rules)}")
        return best

    def _repeats(self, name: str, found: Found) -> bool:
        """Whether one of a few repetitions fails in the same way."""
        exit_code = found.trial.outcome.exit_code
        trials = (self._reported(f"{name}: repeated", found.rules) for _ in range(REPEATS))
        return any(trial.outcome.exit_code == exit_code for trial in trials)

    def _reported(self, name: str, rules: Sequence[Rule]) -> Trial:
        trial = self._run(rules)
        outcome = trial.outcome
        self.rules += len(rules)
        self.fired += len(trial.fired)
        fired = f"; {len(trial.fired)} of {_count(rules)} fired" if rules else ""
        self._report(f"{name}: {outcome.description} in {outcome.seconds:.1f} s{fired}")
        return trial

    def _report_output(self, trial: Trial) -> None:
        """Report the end of the program's output."""
        for line in trial.outcome.last_lines(_OUTPUT_LINES_MAX):
            self._report(f"  | {line}")


def _count(rules: Sequence[Rule]) -> str:
    return "1 rule" if len(rules) == 1 else f"{len(rules)} rules"
