"""Sequences of related faults that are unlikely by chance.

A scene is a list of steps for the nodes of one partition, by their roles; the times between the
steps are drawn. Other steps of the plan may happen in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.simulation.steps import (
    DeleteTopic,
    Fault,
    LoseTail,
    MakeLeader,
    Move,
    Produce,
    Role,
    Step,
)

# Faults of a leader's ISR changes, and whether its metadata is held as well: it would otherwise get
# the committed change immediately.
_OFTEN = 12
_CHANNEL_FAULTS = (
    (("hold requests",), False),
    (("hold responses",), True),
    *((("lose response",) * _OFTEN, True),) * 3,
    (("fail unknown",), False),
    (("refuse",) * 3, False),
)

# For scenes in which something happens during a fetch.
_SLOW_MS = 30

# Of a segment: without its last bytes the last batch is incomplete.
_WITHOUT_THE_LAST_BATCH = 0.999


@dataclass(frozen=True)
class Scenes:
    """Steps, and the network latency that they need, if any."""

    steps: list[Step]
    latency_max_ms: float | None = None


def draw_scenes(random: Random, partitions: int, lag_max_ms: int, *, spare: bool) -> Scenes:
    """One or two scenes in sequence; *spare*: some nodes are not replicas."""
    scenes = [
        *[_newcomer_stops_fetching] * 3,
        *[_leadership_returns] * 2,
        *[_request_is_repeated] * 2,
        _leader_crashes_before_its_high_watermark_is_replicated,
        *[_high_watermark_is_released_by_time] * 2,
        *[_follower_returns_during_appends] * 2,
    ]
    if spare:
        scenes += [_leader_is_reassigned] * 3
    steps: list[Step] = []
    drawn = random.choices(scenes, k=random.choice((1, 2, 2)))
    at_ms = random.uniform(0, 500)
    for number, draw_steps in enumerate(drawn):
        scene = Scene(random, number, random.randrange(partitions), at_ms, lag_max_ms)
        steps += draw_steps(scene)
        at_ms = steps[-1].at_ms + random.uniform(0, 1000)
    return Scenes(steps, _SLOW_MS if _follower_returns_during_appends in drawn else None)


def draw_loss(random: Random, partitions: int, lag_max_ms: int) -> Scenes:
    """A scene in which a node loses unflushed records, while no other node fails."""
    scene = Scene(random, 0, random.randrange(partitions), random.uniform(0, 1000), lag_max_ms)
    draw_steps = random.choice(
        (_crash_loses_the_tail, _newcomer_crashes, _fetch_of_an_earlier_broker_epoch_arrives)
    )
    is_slow = draw_steps is _fetch_of_an_earlier_broker_epoch_arrives
    return Scenes(list(draw_steps(scene)), _SLOW_MS if is_slow else None)


class Scene:
    """The scene that is being drawn: its present time and its roles."""

    def __init__(
        self, random: Random, number: int, partition: int, at_ms: float, lag_max_ms: int
    ) -> None:
        self.random = random
        self.lag_max_ms = lag_max_ms
        self._number = number
        self._partition = partition
        self._at_ms = at_ms

    def role(self, rank: int) -> Role:
        """The node of that rank."""
        return Role(self._number, self._partition, rank)

    def wait(self, at_least_ms: float, at_most_ms: float) -> None:
        """Advance the time of the next step."""
        self._at_ms += self.random.uniform(at_least_ms, at_most_ms)

    def fault(self, kind: str, rank: int) -> Fault:
        """Apply a fault to a node."""
        return Fault(self._at_ms, kind, self.role(rank))

    def lose(self, rank: int, part: float | None = None) -> LoseTail:
        """Let a stopped node lose the end of its segments, and keep *part*, or a drawn part."""
        if part is None:
            part = self.random.choice((0, self.random.random(), _WITHOUT_THE_LAST_BATCH))
        return LoseTail(self._at_ms, self.role(rank), part)

    def delete_topic(self) -> DeleteTopic:
        """The next temporary topic is deleted now."""
        return DeleteTopic(self._at_ms)

    def make_leader(self, rank: int) -> MakeLeader:
        """Elect a node."""
        return MakeLeader(self._at_ms, self.role(rank))

    def move(self, *ranks: int) -> Move:
        """Reassign the partition to these nodes."""
        return Move(self._at_ms, self._partition, tuple(map(self.role, ranks)))

    def produce(self, *acks: int) -> Iterator[Produce]:
        """Send a batch for each of *acks*, with time to wait for all replicas."""
        for each in acks:
            count = self.random.choice((1, 1, 3))
            yield Produce(self._at_ms, self._partition, each, count, timeout_ms=4000, stale=None)


def _newcomer_stops_fetching(scene: Scene) -> Iterator[Step]:
    """A follower returns, is added to the ISR, and lags before the controller responds."""
    away, back = scene.random.choice((("pause", "resume"), ("stop", "start")))
    yield scene.fault(away, 1)
    yield from scene.produce(1)
    # A paused follower is removed at the second check at the latest, a stopped one immediately.
    scene.wait(1.5 * scene.lag_max_ms if away == "pause" else 0, 1.7 * scene.lag_max_ms)
    faults, metadata_held = scene.random.choice(_CHANNEL_FAULTS)
    for fault in faults:
        yield scene.fault(fault, 0)
    yield scene.fault(back, 1)
    if metadata_held:
        yield scene.fault("hold metadata", 0)
    scene.wait(20, 200)
    yield scene.fault("pause", 1)
    yield from scene.produce(*scene.random.choice(((), (-1,), (-1,))))
    scene.wait(1.1 * scene.lag_max_ms, 1.7 * scene.lag_max_ms)
    yield from scene.produce(*scene.random.choice(((), (1,), (1, -1))))
    scene.wait(100, 500)
    yield scene.fault("restore channel", 0)
    yield scene.fault("release metadata", 0)
    scene.wait(0, 300)
    yield scene.fault("resume", 1)


def _leadership_returns(scene: Scene) -> Iterator[Step]:
    """A node without the last records leads for a while; then the first one leads again."""
    yield scene.fault("pause", 2)
    scene.wait(0, 100)
    yield from scene.produce(1, -1)
    scene.wait(70, 250)
    yield scene.make_leader(2)
    yield scene.fault("resume", 2)
    scene.wait(50, 400)
    yield scene.fault("pause", 1)
    yield scene.make_leader(0)
    scene.wait(0, 100)
    yield from scene.produce(1, -1, 1)
    scene.wait(0.5 * scene.lag_max_ms, 2 * scene.lag_max_ms)
    yield scene.fault("resume", 1)


def _request_is_repeated(scene: Scene) -> Iterator[Step]:
    """An ISR change is made and undone; then its request arrives again, at its old epoch.

    Another node may lead by then.
    """
    yield scene.fault("stop", 1)
    yield scene.fault("repeat", 0)
    yield scene.fault("start", 1)
    scene.wait(100, 300)
    yield scene.fault("pause", 1)
    yield from scene.produce(1)
    scene.wait(1.5 * scene.lag_max_ms, 1.7 * scene.lag_max_ms)
    yield from scene.produce(-1)
    if scene.random.random() < 0.4:
        yield scene.make_leader(2)
        yield from scene.produce(-1)
    scene.wait(100, 300)
    yield scene.fault("restore channel", 0)
    scene.wait(0, 300)
    yield scene.fault("resume", 1)


def _leader_crashes_before_its_high_watermark_is_replicated(scene: Scene) -> Iterator[Step]:
    """The next leader has all committed records, but a lower high watermark.

    The third replica returns with records up to that high watermark, and must not join the ISR.
    """
    yield scene.fault("stop", 2)
    yield from scene.produce(-1)
    scene.wait(20, 120)
    yield scene.fault("stop", 0)
    yield scene.fault("start", 2)
    scene.wait(100, 1000)
    yield scene.fault("start", 0)


def _high_watermark_is_released_by_time(scene: Scene) -> Iterator[Step]:
    """A follower that may join stops fetching; after a while the high watermark may pass it.

    The next check comes from a producer that sends its batch again.
    """
    yield scene.fault("stop", 1)
    for _ in range(_OFTEN):
        yield scene.fault("refuse", 0)
    yield scene.fault("start", 1)
    scene.wait(50, 300)
    yield scene.fault("pause", 1)
    yield from scene.produce(-1)
    scene.wait(1.2 * scene.lag_max_ms, 2500)
    yield scene.fault("restore channel", 0)
    yield scene.fault("resume", 1)


def _follower_returns_during_appends(scene: Scene) -> Iterator[Step]:
    """The follower is never at the log end, since more records come during each of its fetches."""
    yield scene.fault("stop", 1)
    yield scene.fault("start", 1)
    for _ in range(60):
        yield from scene.produce(1)
        scene.wait(3, 7)


def _leader_is_reassigned(scene: Scene) -> Iterator[Step]:
    """A fourth node replaces the leader at the second attempt, during its fetch of new records.

    So the leader resigns while it processes that fetch, and only the fourth was late.
    """
    yield scene.fault("refuse", 0)
    yield scene.move(3, 1, 2)
    scene.wait(20, 80)
    yield scene.fault("pause", 3)
    yield from scene.produce(scene.random.choice((1, -1)))
    scene.wait(50, 150)
    yield scene.fault("resume", 3)
    for _ in range(3):
        scene.wait(0, 200)
        yield from scene.produce(scene.random.choice((1, -1)))


def _crash_loses_the_tail(scene: Scene) -> Iterator[Step]:
    """A node returns without records that it had acknowledged; the third may not be in sync."""
    yield scene.fault("pause", 2)
    yield from scene.produce(1)
    scene.wait(0, 2 * scene.lag_max_ms)
    yield from scene.produce(-1, -1, 1)
    scene.wait(0, 300)
    victim = scene.random.choice((0, 1, 1))
    yield scene.fault("stop", victim)
    yield scene.lose(victim)
    scene.wait(100, scene.lag_max_ms)
    yield scene.fault("start", victim)
    scene.wait(0, scene.lag_max_ms)
    yield scene.fault("stop", 1 - victim)
    scene.wait(100, 500)
    yield scene.fault("resume", 2)
    yield scene.fault("start", 1 - victim)


def _newcomer_crashes(scene: Scene) -> Iterator[Step]:
    """A follower crashes and loses records before the controller gets the request to add it.

    The partition has not changed meanwhile: only the broker epoch shows the crash.
    """
    yield scene.fault("pause", 1)
    yield from scene.produce(1)
    scene.wait(1.5 * scene.lag_max_ms, 1.7 * scene.lag_max_ms)
    yield scene.fault("hold requests", 0)
    yield scene.fault("resume", 1)
    scene.wait(50, 300)
    yield from scene.produce(-1, -1)
    scene.wait(50, 200)
    yield scene.fault("stop", 1)
    yield scene.lose(1)
    yield scene.fault("start", 1)
    yield scene.fault("pause", 1)
    scene.wait(0, 100)
    yield scene.fault("restore channel", 0)
    scene.wait(0, 300)
    yield scene.fault("resume", 1)


def _fetch_of_an_earlier_broker_epoch_arrives(scene: Scene) -> Iterator[Step]:
    """A fetch from before a crash, at a lost offset, arrives after the node is in sync again.

    The third has left the ISR by then, so that the high watermark waits for these two alone.
    """
    yield scene.fault("pause", 2)
    yield from scene.produce(1)
    scene.wait(1.5 * scene.lag_max_ms, 1.7 * scene.lag_max_ms)
    yield scene.fault("stall", 0)
    yield from scene.produce(1)
    scene.wait(60, 150)
    yield scene.fault("stop", 1)
    yield scene.lose(1, _WITHOUT_THE_LAST_BATCH)
    yield scene.fault("start", 1)
    # Its first fetch has been sent by then, and the response has not.
    scene.wait(1, 2)
    yield scene.fault("pause", 1)
    scene.wait(30, 100)
    yield scene.fault("unstall", 0)
    scene.wait(60, 200)
    yield scene.fault("resume", 1)
    yield scene.fault("resume", 2)
