"""Sequences of related faults of transaction coordinators.

Rank 0 is the coordinator: the leader of the partition of ``__transaction_state``. Producers run all
the time, so that some of their transactions are in any state when a step happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.simulation.scenes import Scene
from tests.simulation.steps import Step

# Beyond the numbers of the scenes without transactions.
_FIRST_NUMBER = 100
_REQUEST_TIMEOUT_MS = 1000


def draw_transaction_scenes(
    random: Random,
    state_partition: int,
    lag_max_ms: int,
    *,
    late_requests: bool,
    deletes_topics: bool,
) -> list[Step]:
    """Scenes in sequence; *state_partition* is the number of the partition of coordinators."""
    scenes = [
        _coordinator_crashes_before_its_log_is_replicated,
        _coordinator_crashes_after_its_decision,
        _coordinator_moves_unnoticed,
        _writes_of_the_coordinator_time_out,
        _markers_are_written_without_followers,
    ]
    if late_requests:
        scenes += [_markers_arrive_late_and_twice] * 3
    else:
        scenes += [_verifications_arrive_late] * 2
    if deletes_topics:
        scenes = [_a_topic_is_deleted_before_its_markers]
    steps: list[Step] = []
    at_ms = random.uniform(200, 1000)
    for number in range(random.choice((1, 2, 3))):
        scene = Scene(random, _FIRST_NUMBER + number, state_partition, at_ms, lag_max_ms)
        steps += random.choice(scenes)(scene)
        at_ms = steps[-1].at_ms + random.uniform(100, 1000)
    return steps


def _coordinator_crashes_before_its_log_is_replicated(scene: Scene) -> Iterator[Step]:
    """Transitions are appended, and lost with the coordinator or kept by one follower."""
    yield scene.fault("pause", 1)
    if scene.random.random() < 0.7:
        yield scene.fault("pause", 2)
    scene.wait(50, 400)
    yield scene.fault("stop", 0)
    scene.wait(0, 100)
    yield scene.fault("resume", 1)
    yield scene.fault("resume", 2)
    scene.wait(100, 1500)
    yield scene.fault("start", 0)


def _coordinator_crashes_after_its_decision(scene: Scene) -> Iterator[Step]:
    """The markers do not arrive before the crash; the next coordinator sends them."""
    ranks = scene.random.choice(((0, 1, 2), (1, 2), (1,)))
    for rank in ranks:
        yield scene.fault("lose marker request", rank)
        yield scene.fault("hold marker response", rank)
    scene.wait(50, 500)
    yield scene.fault("stop", 0)
    scene.wait(0, 300)
    for rank in ranks:
        yield scene.fault("release markers", rank)
    scene.wait(200, 1500)
    yield scene.fault("start", 0)


def _coordinator_moves_unnoticed(scene: Scene) -> Iterator[Step]:
    """The former coordinator does not know that it was replaced, and continues."""
    yield scene.fault("hold metadata", 0)
    yield scene.make_leader(1)
    scene.wait(100, 1200)
    yield scene.fault("release metadata", 0)
    scene.wait(100, 500)
    yield scene.make_leader(0)


def _writes_of_the_coordinator_time_out(scene: Scene) -> Iterator[Step]:
    """Records are replicated after their requests have failed, and the coordinator moves then."""
    yield scene.fault("pause", 1)
    yield scene.fault("pause", 2)
    scene.wait(800, 2500)
    yield scene.fault("resume", 1)
    yield scene.fault("resume", 2)
    scene.wait(0, 300)
    yield scene.make_leader(1)


def _markers_are_written_without_followers(scene: Scene) -> Iterator[Step]:
    """Markers are appended again and again, because they are not replicated in time."""
    for rank in (1, 2):
        yield scene.fault("hold marker response", rank)
    yield scene.fault("pause", scene.random.choice((1, 2)))
    scene.wait(_REQUEST_TIMEOUT_MS, 2.2 * _REQUEST_TIMEOUT_MS)
    for rank in (1, 2):
        yield scene.fault("release markers", rank)
        yield scene.fault("resume", rank)


def _markers_arrive_late_and_twice(scene: Scene) -> Iterator[Step]:
    """The coordinator repeats the markers, and the first ones arrive in a later transaction."""
    for _ in range(3):
        for rank in (0, 1, 2):
            yield scene.fault("delay marker request", rank)
        scene.wait(300, 1500)


def _verifications_arrive_late(scene: Scene) -> Iterator[Step]:
    """A producer aborts its transaction while a batch of it waits to be verified."""
    for _ in range(4):
        for rank in (0, 1, 2):
            yield scene.fault("hold addition response", rank)
        scene.wait(300, 0.95 * _REQUEST_TIMEOUT_MS)
        for rank in (0, 1, 2):
            yield scene.fault("release additions", rank)
        scene.wait(0, 200)


def _a_topic_is_deleted_before_its_markers(scene: Scene) -> Iterator[Step]:
    """Transactions are decided and their markers do not arrive; perhaps the coordinator moves."""
    for rank in (0, 1, 2):
        yield scene.fault("lose marker request", rank)
        yield scene.fault("hold marker response", rank)
    scene.wait(50, 500)
    yield scene.delete_topic()
    scene.wait(0, 100)
    if scene.random.random() < 0.5:
        yield scene.make_leader(1)
    scene.wait(50, 400)
    for rank in (0, 1, 2):
        yield scene.fault("release markers", rank)
