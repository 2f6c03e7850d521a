"""The search for a schedule with which a program fails, with a program that the test imitates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from antechamber.chaos.draw import draw
from antechamber.chaos.program import Outcome
from antechamber.chaos.search import REPEATS, Search
from antechamber.chaos.shrink import Rule
from antechamber.chaos.trial import Firing, Trial

ExitCode = Callable[[Sequence[Rule]], int | None]


class Program:
    """Each run has the exit code that a function returns for the rules; all rules fire."""

    def __init__(self, exit_code: ExitCode, unfired: Sequence[str] = ()) -> None:
        self._exit_code, self._unfired = exit_code, unfired
        self.runs: list[list[Rule]] = []
        self.lines: list[str] = []

    def run(self, rules: Sequence[Rule]) -> Trial:
        """Run it once."""
        self.runs.append(list(rules))
        firings = [
            Firing(at, rule["name"], "Produce", "app", 1)
            for at, rule in enumerate(rules)
            if rule["name"] not in self._unfired
        ]
        return Trial(Outcome(self._exit_code(rules), 1.0, "one\ntwo\x1b[2J\n"), tuple(firings))

    def search(self, shrink_runs: int = 100) -> Search:
        """A search with this program."""
        return Search(self.run, self.lines.append, shrink_runs)


def lost_responses(rules: Sequence[Rule]) -> int:
    """Fail if a response is lost."""
    lost = {"type": "close", "when": "after"}
    return int(any(rule["action"] == lost for rule in rules))


def test_a_program_that_survives() -> None:
    """Each seed has one run."""
    program = Program(lambda _: 0)

    assert program.search().seeds(range(1, 4), 3) is None
    assert program.runs == [draw(seed, 3) for seed in (1, 2, 3)]
    assert program.lines[0].startswith("seed 1: exit code 0 in 1.0 s; ")


def test_a_failing_seed_is_shrunk() -> None:
    """To the one rule that the failure needs, with low numbers."""
    program = Program(lost_responses)

    found = program.search().seeds(range(100), 3)

    assert found is not None
    [rule] = found.rules
    assert rule["action"] == {"type": "close", "when": "after"}
    assert (rule["nth"], rule["times"]) == (1, 1)
    assert found.trial.outcome.exit_code == 1
    assert [firing.name for firing in found.trial.firings] == [rule["name"]]
    assert "  | two [2J" in program.lines
    assert program.lines[-1].endswith("rules shrunk to 1")


def test_a_failure_that_is_not_repeated_is_not_shrunk() -> None:
    """The schedule is returned as it is."""
    codes = iter([1, *[0] * REPEATS])
    program = Program(lambda _: next(codes))

    found = program.search().seeds([7], 3)

    assert found is not None
    assert (found.rules, found.seed) == (draw(7, 3), 7)
    assert program.lines[-1] == (
        f"seed 7: {REPEATS} repetitions did not fail; the schedule is not shrunk"
    )


def test_another_failure_is_not_the_same() -> None:
    """A smaller schedule must fail with the same exit code."""
    given: list[Rule] = [{"name": name, "action": {}} for name in "abc"]
    program = Program(lambda rules: 1 if len(rules) == 3 else 2)

    found = program.search().schedule("s", given)

    assert found is not None
    assert [rule["name"] for rule in found.rules] == ["a", "b", "c"]
    assert all(rule["times"] == 1 for rule in found.rules)


def test_rules_that_did_not_fire_are_removed_first() -> None:
    """One run suffices for all of them."""
    given: list[Rule] = [{"name": name, "action": {}, "times": 1} for name in "abcdef"]
    program = Program(lambda rules: int(any(rule["name"] == "f" for rule in rules)), "abcde")

    found = program.search().schedule("s", given)

    assert found is not None
    assert found.rules == [given[-1]]
    assert program.runs[2] == [given[-1]]


def test_a_schedule_is_not_shrunk_without_runs() -> None:
    """One run decides."""
    program = Program(lambda _: None)

    found = program.search(shrink_runs=0).schedule("s", [{"name": "a", "action": {}}])

    assert found is not None
    assert len(program.runs) == 1
    assert program.lines[0] == "s: no end within 1 s in 1.0 s; 1 of 1 rule fired"


def test_a_failure_without_faults_is_shown() -> None:
    """With the end of the program's output."""
    program = Program(lambda _: 1)

    assert program.search().without_faults().outcome.failed
    assert program.lines == ["without faults: exit code 1 in 1.0 s", "  | one", "  | two [2J"]


def test_the_run_without_faults_has_no_rules() -> None:
    """Its line has no count of rules."""
    program = Program(lambda _: 0)

    assert not program.search().without_faults().outcome.failed
    assert (program.runs, program.lines) == ([[]], ["without faults: exit code 0 in 1.0 s"])
