"""Runs scenarios on both systems concurrently, and compares the transcripts.

Scenarios mostly wait, so many run at once, on clusters they share; those that stop nodes run one
after another. A scenario whose transcripts differ is repeated alone, at most twice: a difference
that occurs only occasionally, because the machine is busy, is reported but does not count.
"""

from __future__ import annotations

import traceback
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from difflib import unified_diff

from integration.parity.client import Receiver
from integration.parity.formatting import Formatter
from integration.parity.known import KNOWN
from integration.parity.scenario import Kafka, NotServed, Scenario
from integration.parity.setups import Setup
from integration.parity.systems import System, start_ours, start_theirs
from integration.parity.warm_up import warm_up

AT_ONCE = 12  # concurrent scenarios of one system
REPEATS_MAX = 2
BROKEN = "the scenario failed: "
_CONTEXT_LINES = 3

Report = Callable[[str], None]


@dataclass
class Transcript:
    """The lines of a scenario on one system; ``lacks`` names an API that it does not serve."""

    lines: list[str] = field(default_factory=list)
    lacks: str | None = None
    trace: str = ""


@dataclass
class Outcome:
    """A scenario and both transcripts; ``unsteady``: they differed at first, but not at the end."""

    scenario: Scenario
    ours: Transcript
    theirs: Transcript
    unsteady: bool = False

    @property
    def broken(self) -> bool:
        """Whether the scenario failed on Kafka itself."""
        lines = self.theirs.lines
        return self.theirs.lacks is not None or not lines or lines[-1].startswith(BROKEN)

    @property
    def equal(self) -> bool:
        """Whether both transcripts are complete and equal."""
        return not self.broken and self.ours.lacks is None and self.ours.lines == self.theirs.lines

    @property
    def as_known(self) -> bool:
        """Whether ours differs exactly as listed."""
        known = KNOWN.get(self.scenario.name)
        if known is None or self.broken or self.equal:
            return False
        return known.rewritten(self.theirs.lines) == self.ours.lines

    @property
    def settled(self) -> bool:
        """Whether the outcome is as expected: equal, or with the listed difference."""
        return self.as_known if self.scenario.name in KNOWN else self.equal

    @property
    def difference(self) -> str:
        """The difference of the transcripts, as a diff, and the error of a failed scenario."""
        lines = unified_diff(
            self.theirs.lines,
            self.ours.lines,
            "Kafka",
            "antechamber",
            n=_CONTEXT_LINES,
            lineterm="",
        )
        return "\n".join([*lines, self.theirs.trace, self.ours.trace]).strip()


@dataclass
class Pair:
    """Both systems in one setup."""

    ours: System
    theirs: System


def run(scenarios: Sequence[Scenario], report: Report = print) -> list[Outcome]:
    """Run *scenarios* on fresh clusters; the outcomes have the same order."""
    setups = {each.setup.name: each.setup for each in scenarios}
    with closing(Receiver()) as receiver, clusters(setups.values()) as pairs:
        runner = ScenarioRunner(receiver, pairs)
        outcomes = runner.all(scenarios)
        for outcome in outcomes:
            for _ in range(REPEATS_MAX):
                if outcome.settled:
                    break
                report(f"{outcome.scenario.name} differs, and is repeated:")
                report(outcome.difference)
                runner.once_more(outcome)
    return outcomes


@contextmanager
def clusters(setups: Iterable[Setup]) -> Iterator[dict[str, Pair]]:
    """Start both systems in each setup concurrently, and stop them at the end; by setup name."""
    with ExitStack() as running, ThreadPoolExecutor() as starters:
        started = {
            setup.name: (starters.submit(start_ours, setup), starters.submit(start_theirs, setup))
            for setup in setups
        }
        for future in (each for pair in started.values() for each in pair):
            _close_at_the_end(running, future)
        pairs = {
            name: Pair(ours.result(), theirs.result()) for name, (ours, theirs) in started.items()
        }
        for pair in pairs.values():
            warm_up(pair.ours.nodes)
            warm_up(pair.theirs.nodes)
        yield pairs


def _close_at_the_end(running: ExitStack, future: Future[System]) -> None:
    def close() -> None:
        if future.exception() is None:
            future.result().close()

    running.callback(close)


class ScenarioRunner:
    """Runs scenarios on the clusters of a run."""

    def __init__(self, receiver: Receiver, pairs: dict[str, Pair]) -> None:
        self._receiver = receiver
        self._pairs = pairs

    def all(self, scenarios: Sequence[Scenario]) -> list[Outcome]:
        """Run every scenario on both systems, many at once."""
        ours: dict[str, Future[Transcript]] = {}
        theirs: dict[str, Future[Transcript]] = {}
        with ExitStack() as pools:
            for name, pair in self._pairs.items():
                here = [each for each in scenarios if each.setup.name == name]
                ours |= self._begin(here, pair.ours, pools)
                theirs |= self._begin(here, pair.theirs, pools)
        return [
            Outcome(each, ours[each.name].result(), theirs[each.name].result())
            for each in scenarios
        ]

    def _begin(
        self, scenarios: Sequence[Scenario], system: System, pools: ExitStack
    ) -> dict[str, Future[Transcript]]:
        """Start scenarios on one system: those that stop nodes one by one, after all the others."""
        many = pools.enter_context(ThreadPoolExecutor(AT_ONCE))
        one = pools.enter_context(ThreadPoolExecutor(1))
        shared = {
            each.name: many.submit(self._play, each, system) for each in scenarios if not each.alone
        }
        one.submit(wait, list(shared.values()))
        alone = {
            each.name: one.submit(self._play, each, system) for each in scenarios if each.alone
        }
        return shared | alone

    def once_more(self, outcome: Outcome) -> None:
        """Repeat one scenario alone, and keep its new transcripts."""
        pair = self._pairs[outcome.scenario.setup.name]
        with ThreadPoolExecutor(2) as pool:
            ours = pool.submit(self._play, outcome.scenario, pair.ours)
            theirs = pool.submit(self._play, outcome.scenario, pair.theirs)
            outcome.ours, outcome.theirs = ours.result(), theirs.result()
        outcome.unsteady = outcome.settled

    def _play(self, scenario: Scenario, system: System) -> Transcript:
        formatter = Formatter()
        reported = Transcript()
        unique = f"{scenario.name}-{uuid.uuid4().hex[:8]}"
        with closing(Kafka(system, self._receiver, unique, formatter)) as kafka:
            try:
                for seen in scenario.play(kafka):
                    reported.lines.append(formatter.line(seen))
            except NotServed as api:
                reported.lacks = f"{api} is not served"
            except Exception as error:
                reported.lines.append(f"{BROKEN}{type(error).__name__}: {error}")
                reported.trace = f"{system.name}: {traceback.format_exc(limit=-2)}"
        return reported
