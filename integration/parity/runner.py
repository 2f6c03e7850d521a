"""Plays scenarios to both systems at the same time, and compares what they told.

Most of a scenario is waiting, so many run at once, on clusters they share; those that harm nodes
run one after another. A scenario whose transcripts differ is played again by itself, twice at most:
what differs only now and then, because the machine was busy, is said but does not count.
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
from integration.parity.known import KNOWN
from integration.parity.scenario import Kafka, NotServed, Scenario
from integration.parity.setups import Setup
from integration.parity.systems import System, start_ours, start_theirs
from integration.parity.telling import Teller
from integration.parity.warm_up import warm_up

AT_ONCE = 12  # scenarios that one system plays at the same time
REPEATS_MAX = 2
BROKEN = "the scenario broke: "
_CONTEXT_LINES = 3

Say = Callable[[str], None]


@dataclass
class Transcript:
    """What one system told of a scenario; ``lacks`` tells of an API it does not serve."""

    lines: list[str] = field(default_factory=list)
    lacks: str | None = None
    trace: str = ""


@dataclass
class Outcome:
    """A scenario and both transcripts; ``unsteady``: they differed at first, but not in the end."""

    scenario: Scenario
    ours: Transcript
    theirs: Transcript
    unsteady: bool = False

    @property
    def broken(self) -> bool:
        """Whether the scenario failed on Kafka itself: it proves nothing then."""
        lines = self.theirs.lines
        return self.theirs.lacks is not None or not lines or lines[-1].startswith(BROKEN)

    @property
    def equal(self) -> bool:
        """Whether both told the same, to the end."""
        return not self.broken and self.ours.lacks is None and self.ours.lines == self.theirs.lines

    @property
    def as_known(self) -> bool:
        """Whether ours differs just as it is known to."""
        known = KNOWN.get(self.scenario.name)
        if known is None or self.broken or self.equal:
            return False
        return known.rewritten(self.theirs.lines) == self.ours.lines

    @property
    def settled(self) -> bool:
        """Whether it is as it is to be: equal, or, where a difference is known, with that one."""
        return self.as_known if self.scenario.name in KNOWN else self.equal

    @property
    def difference(self) -> str:
        """Where the transcripts part, as a diff, and where a scenario broke."""
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


def run(scenarios: Sequence[Scenario], say: Say = print) -> list[Outcome]:
    """Play *scenarios* to fresh clusters; the outcomes come in the same order."""
    setups = {each.setup.name: each.setup for each in scenarios}
    with closing(Receiver()) as receiver, clusters(setups.values()) as pairs:
        stage = Stage(receiver, pairs)
        outcomes = stage.all(scenarios)
        for outcome in outcomes:
            for _ in range(REPEATS_MAX):
                if outcome.settled:
                    break
                say(f"{outcome.scenario.name} differs, and is played once more:")
                say(outcome.difference)
                stage.once_more(outcome)
    return outcomes


@contextmanager
def clusters(setups: Iterable[Setup]) -> Iterator[dict[str, Pair]]:
    """Start both systems in each setup, all at once, and end them with the block; by its name."""
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


class Stage:
    """The clusters of a run, and the playing on them."""

    def __init__(self, receiver: Receiver, pairs: dict[str, Pair]) -> None:
        self._receiver = receiver
        self._pairs = pairs

    def all(self, scenarios: Sequence[Scenario]) -> list[Outcome]:
        """Play every scenario on both sides, many at once."""
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
        """Begin to play on one system: those that harm nodes one by one, after all the others."""
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
        """Play one scenario again, by itself, and keep what is told now."""
        pair = self._pairs[outcome.scenario.setup.name]
        with ThreadPoolExecutor(2) as pool:
            ours = pool.submit(self._play, outcome.scenario, pair.ours)
            theirs = pool.submit(self._play, outcome.scenario, pair.theirs)
            outcome.ours, outcome.theirs = ours.result(), theirs.result()
        outcome.unsteady = outcome.settled

    def _play(self, scenario: Scenario, system: System) -> Transcript:
        teller = Teller()
        told = Transcript()
        unique = f"{scenario.name}-{uuid.uuid4().hex[:8]}"
        with closing(Kafka(system, self._receiver, unique, teller)) as kafka:
            try:
                for seen in scenario.play(kafka):
                    told.lines.append(teller.line(seen))
            except NotServed as api:
                told.lacks = f"{api} is not served"
            except Exception as error:
                told.lines.append(f"{BROKEN}{type(error).__name__}: {error}")
                told.trace = f"{system.name}: {traceback.format_exc(limit=-2)}"
        return told
