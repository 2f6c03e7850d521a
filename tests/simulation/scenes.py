"""Faults that belong together, which chance alone would hardly ever put in this order.

A scene is a list of steps for the nodes of one partition, by the parts they play in it; how long
each step takes is drawn. What else the plan has in store may happen in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.simulation.steps import Fault, Lead, Lose, Move, Produce, Role, Step

# What goes wrong with what a leader asks of the controller, and whether it is deaf, too: it would
# hear at once of what has been done.
_OFTEN = 12
_TROUBLES = (
    (("hold questions",), False),
    (("hold answers",), True),
    *((("lose answer",) * _OFTEN, True),) * 3,
    (("leave open",), False),
    (("refuse",) * 3, False),
)

# For scenes in which something is to happen while a fetch is under way.
_SLOW_MS = 30

# Of a segment: a few bytes are enough to spoil it.
_ALL_BUT_THE_LAST_BATCH = 0.999


@dataclass(frozen=True)
class Scenes:
    """Steps, and how slow the network has to be for them to come to something, if it has to be."""

    steps: list[Step]
    latency_max_ms: float | None = None


def draw_scenes(random: Random, partitions: int, lag_max_ms: int, *, spare: bool) -> Scenes:
    """One or two of them, one after the other; *spare*: there are nodes that are no replicas."""
    plays = [
        *[_newcomer_falls_silent] * 3,
        *[_leadership_returns] * 2,
        *[_question_comes_twice] * 2,
        _leader_dies_before_its_mark_is_known,
        *[_mark_is_free_after_a_while] * 2,
        *[_follower_returns_into_a_stream] * 2,
    ]
    if spare:
        plays += [_leader_is_moved_away] * 3
    steps: list[Step] = []
    drawn = random.choices(plays, k=random.choice((1, 2, 2)))
    at_ms = random.uniform(0, 500)
    for scene, play in enumerate(drawn):
        tale = _Tale(random, scene, random.randrange(partitions), at_ms, lag_max_ms)
        steps += play(tale)
        at_ms = steps[-1].at_ms + random.uniform(0, 1000)
    return Scenes(steps, _SLOW_MS if _follower_returns_into_a_stream in drawn else None)


def draw_loss(random: Random, partitions: int, lag_max_ms: int) -> Scenes:
    """A scene in which a node loses what it wrote last; nobody else may, nor be down with it."""
    tale = _Tale(random, 0, random.randrange(partitions), random.uniform(0, 1000), lag_max_ms)
    play = random.choice((_crash_loses_the_tail, _newcomer_dies, _former_life_fetches))
    return Scenes(list(play(tale)), _SLOW_MS if play is _former_life_fetches else None)


class _Tale:
    """A scene while it is written: what time it is, and who plays in it."""

    def __init__(
        self, random: Random, scene: int, partition: int, at_ms: float, lag_max_ms: int
    ) -> None:
        self.random = random
        self.lag_max_ms = lag_max_ms
        self._scene = scene
        self._partition = partition
        self._at_ms = at_ms

    def role(self, rank: int) -> Role:
        """The node of that rank."""
        return Role(self._scene, self._partition, rank)

    def wait(self, at_least_ms: float, at_most_ms: float) -> None:
        """Let time pass before the next step."""
        self._at_ms += self.random.uniform(at_least_ms, at_most_ms)

    def fault(self, kind: str, rank: int) -> Fault:
        """Do something to a node."""
        return Fault(self._at_ms, kind, self.role(rank))

    def lose(self, rank: int, part: float | None = None) -> Lose:
        """Let a node that is down lose what it wrote last, and keep that part, or any."""
        if part is None:
            part = self.random.choice((0, self.random.random(), _ALL_BUT_THE_LAST_BATCH))
        return Lose(self._at_ms, self.role(rank), part)

    def lead(self, rank: int) -> Lead:
        """Give a node the leadership."""
        return Lead(self._at_ms, self.role(rank))

    def move(self, *ranks: int) -> Move:
        """Give the partition to these nodes."""
        return Move(self._at_ms, self._partition, tuple(map(self.role, ranks)))

    def produce(self, *acks: int) -> Iterator[Produce]:
        """Send a batch for each of *acks*; who waits for all replicas has the time for it."""
        for each in acks:
            count = self.random.choice((1, 1, 3))
            yield Produce(self._at_ms, self._partition, each, count, timeout_ms=4000, stale=None)


def _newcomer_falls_silent(tale: _Tale) -> Iterator[Step]:
    """A follower comes back, is to be in sync, and lags while the controller's word is awaited."""
    away, back = tale.random.choice((("pause", "resume"), ("stop", "start")))
    yield tale.fault(away, 1)
    yield from tale.produce(1)
    # Who is paused is dropped at the second check at the latest, who is stopped is at once.
    tale.wait(1.5 * tale.lag_max_ms if away == "pause" else 0, 1.7 * tale.lag_max_ms)
    troubles, deaf = tale.random.choice(_TROUBLES)
    for trouble in troubles:
        yield tale.fault(trouble, 0)
    yield tale.fault(back, 1)
    if deaf:
        yield tale.fault("deafen", 0)
    tale.wait(20, 200)
    yield tale.fault("pause", 1)
    yield from tale.produce(*tale.random.choice(((), (-1,), (-1,))))
    tale.wait(1.1 * tale.lag_max_ms, 1.7 * tale.lag_max_ms)
    yield from tale.produce(*tale.random.choice(((), (1,), (1, -1))))
    tale.wait(100, 500)
    yield tale.fault("let speak", 0)
    yield tale.fault("tell", 0)
    tale.wait(0, 300)
    yield tale.fault("resume", 1)


def _leadership_returns(tale: _Tale) -> Iterator[Step]:
    """Somebody leads for a while who lacks what two had; then the first leads again."""
    yield tale.fault("pause", 2)
    tale.wait(0, 100)
    yield from tale.produce(1, -1)
    tale.wait(70, 250)
    yield tale.lead(2)
    yield tale.fault("resume", 2)
    tale.wait(50, 400)
    yield tale.fault("pause", 1)
    yield tale.lead(0)
    tale.wait(0, 100)
    yield from tale.produce(1, -1, 1)
    tale.wait(0.5 * tale.lag_max_ms, 2 * tale.lag_max_ms)
    yield tale.fault("resume", 1)


def _question_comes_twice(tale: _Tale) -> Iterator[Step]:
    """A change is made and taken back; then the request for it arrives once more, at its time.

    The leader may be another by then.
    """
    yield tale.fault("stop", 1)
    yield tale.fault("repeat", 0)
    yield tale.fault("start", 1)
    tale.wait(100, 300)
    yield tale.fault("pause", 1)
    yield from tale.produce(1)
    tale.wait(1.5 * tale.lag_max_ms, 1.7 * tale.lag_max_ms)
    yield from tale.produce(-1)
    if tale.random.random() < 0.4:
        yield tale.lead(2)
        yield from tale.produce(-1)
    tale.wait(100, 300)
    yield tale.fault("let speak", 0)
    tale.wait(0, 300)
    yield tale.fault("resume", 1)


def _leader_dies_before_its_mark_is_known(tale: _Tale) -> Iterator[Step]:
    """Who leads next has all that was committed, and does not know that it was.

    The third comes back with as much as that one knows of, and must not be in sync with it.
    """
    yield tale.fault("stop", 2)
    yield from tale.produce(-1)
    tale.wait(20, 120)
    yield tale.fault("stop", 0)
    yield tale.fault("start", 2)
    tale.wait(100, 1000)
    yield tale.fault("start", 0)


def _mark_is_free_after_a_while(tale: _Tale) -> Iterator[Step]:
    """Who was to join falls silent: after a while nothing waits for it, and nobody is told.

    The next to look is a producer that sends once more what it has sent.
    """
    yield tale.fault("stop", 1)
    for _ in range(_OFTEN):
        yield tale.fault("refuse", 0)
    yield tale.fault("start", 1)
    tale.wait(50, 300)
    yield tale.fault("pause", 1)
    yield from tale.produce(-1)
    tale.wait(1.2 * tale.lag_max_ms, 2500)
    yield tale.fault("let speak", 0)
    yield tale.fault("resume", 1)


def _follower_returns_into_a_stream(tale: _Tale) -> Iterator[Step]:
    """It is never quite at the end, since more comes while each of its fetches is under way."""
    yield tale.fault("stop", 1)
    yield tale.fault("start", 1)
    for _ in range(60):
        yield from tale.produce(1)
        tale.wait(3, 7)


def _leader_is_moved_away(tale: _Tale) -> Iterator[Step]:
    """A fourth replaces the leader, at the second attempt, with a fetch that tells of new records.

    So the leader has to go in the middle of that fetch, which nobody but the fourth was late with.
    """
    yield tale.fault("refuse", 0)
    yield tale.move(3, 1, 2)
    tale.wait(20, 80)
    yield tale.fault("pause", 3)
    yield from tale.produce(tale.random.choice((1, -1)))
    tale.wait(50, 150)
    yield tale.fault("resume", 3)
    for _ in range(3):
        tale.wait(0, 200)
        yield from tale.produce(tale.random.choice((1, -1)))


def _crash_loses_the_tail(tale: _Tale) -> Iterator[Step]:
    """A node comes back with less than it had promised, once the third may have left the set."""
    yield tale.fault("pause", 2)
    yield from tale.produce(1)
    tale.wait(0, 2 * tale.lag_max_ms)
    yield from tale.produce(-1, -1, 1)
    tale.wait(0, 300)
    victim = tale.random.choice((0, 1, 1))
    yield tale.fault("stop", victim)
    yield tale.lose(victim)
    tale.wait(100, tale.lag_max_ms)
    yield tale.fault("start", victim)
    tale.wait(0, tale.lag_max_ms)
    yield tale.fault("stop", 1 - victim)
    tale.wait(100, 500)
    yield tale.fault("resume", 2)
    yield tale.fault("start", 1 - victim)


def _newcomer_dies(tale: _Tale) -> Iterator[Step]:
    """It is to be in sync, crashes with what it had, and is back when the controller hears of it.

    Nothing else has become of the partition meanwhile: only its life tells that it is not the same.
    """
    yield tale.fault("pause", 1)
    yield from tale.produce(1)
    tale.wait(1.5 * tale.lag_max_ms, 1.7 * tale.lag_max_ms)
    yield tale.fault("hold questions", 0)
    yield tale.fault("resume", 1)
    tale.wait(50, 300)
    yield from tale.produce(-1, -1)
    tale.wait(50, 200)
    yield tale.fault("stop", 1)
    yield tale.lose(1)
    yield tale.fault("start", 1)
    yield tale.fault("pause", 1)
    tale.wait(0, 100)
    yield tale.fault("let speak", 0)
    tale.wait(0, 300)
    yield tale.fault("resume", 1)


def _former_life_fetches(tale: _Tale) -> Iterator[Step]:
    """A fetch arrives from before a crash, of what that has cost, while the node is in sync again.

    The third is out of the set by then, so that the high watermark waits for these two alone.
    """
    yield tale.fault("pause", 2)
    yield from tale.produce(1)
    tale.wait(1.5 * tale.lag_max_ms, 1.7 * tale.lag_max_ms)
    yield tale.fault("stall", 0)
    yield from tale.produce(1)
    tale.wait(60, 150)
    yield tale.fault("stop", 1)
    yield tale.lose(1, _ALL_BUT_THE_LAST_BATCH)
    yield tale.fault("start", 1)
    # Its first fetch is under way by then, and the answer to it not yet.
    tale.wait(1, 2)
    yield tale.fault("pause", 1)
    tale.wait(30, 100)
    yield tale.fault("flow", 0)
    tale.wait(60, 200)
    yield tale.fault("resume", 1)
    yield tale.fault("resume", 2)
