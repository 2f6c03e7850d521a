"""Heartbeats that are prepared in a worker thread."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.long_heartbeats import LongStreamsHeartbeat, is_long
from broker.groups.streams.requests import StreamsGroupHeartbeat, StreamsGroupHeartbeatResult
from protocol.errors import ErrorCode
from tests.broker.groups.streams.topics.topologies import subtopology, topology
from tests.broker.groups.streams.world import StreamsWorld, active, beating, joining
from tests.held_offload import HeldOffload

Slices = Generator[Any, None, Any]


class World(StreamsWorld):
    """A node whose worker threads are held."""

    def __init__(self) -> None:
        self.held = HeldOffload()
        super().__init__(self.held)

    def begin(self, request: StreamsGroupHeartbeat) -> Slices:
        """Begin a heartbeat; returns its slices."""
        change = LongStreamsHeartbeat(self.coordinator.streams, request)
        return self.coordinator.changes.run(change)

    def finish(self, slices: Slices) -> StreamsGroupHeartbeatResult:
        """Run the slices and the thread to the end."""
        while True:
            try:
                next(slices)
            except StopIteration as end:
                result: StreamsGroupHeartbeatResult = end.value
                return result
            self.held.finish_next()


@pytest.fixture
def world() -> World:
    return World()


def test_a_long_heartbeat_has_the_same_result_as_a_short_one(world: World) -> None:
    """The same response and the same records."""
    other = StreamsWorld()

    result = world.finish(world.begin(joining()))

    assert result == other.join()
    assert [log.records for log in world.logs] == [log.records for log in other.logs]


def test_a_heartbeat_is_prepared_again_if_the_group_has_changed(world: World) -> None:
    """Both members are in the group."""
    slices = world.begin(joining())
    next(slices)
    world.join("b")

    assert world.finish(slices).member_epoch == 3
    assert sorted(world.group.members) == ["a", "b"]


def test_a_heartbeat_is_prepared_again_if_the_topics_have_changed(world: World) -> None:
    """The tasks are those of the present topics."""
    slices = world.begin(joining())
    next(slices)
    world.put_topic("in", 6)

    assert active(world.finish(slices)) == {"0": [0, 1, 2, 3, 4, 5]}


def test_an_abandoned_preparation_changes_nothing(world: World) -> None:
    """If the client disconnects."""
    slices = world.begin(joining())
    next(slices)
    slices.close()

    assert not world.coordinator.groups


def test_an_invalid_heartbeat_needs_no_thread(world: World) -> None:
    """It is refused at once."""
    with pytest.raises(ApiError) as refused:
        next(world.begin(joining(rack_id="")))

    assert refused.value.code is ErrorCode.INVALID_REQUEST
    assert not world.held.jobs


def test_an_error_of_the_preparation_is_raised(world: World) -> None:
    """Here a wrong epoch."""
    world.join()

    with pytest.raises(ApiError) as refused:
        world.finish(world.begin(beating("a", 9)))

    assert refused.value.code is ErrorCode.FENCED_MEMBER_EPOCH


def test_a_group_that_is_unloaded_meanwhile(world: World) -> None:
    """The heartbeat is refused."""
    slices = world.begin(joining())
    next(slices)
    for partition in range(len(world.logs)):
        world.coordinator.runtime.on_resignation(partition)

    with pytest.raises(ApiError) as refused:
        world.finish(slices)
    assert refused.value.code is ErrorCode.NOT_COORDINATOR


BIG = topology(subtopology("0", "big in"), subtopology("1", "in"))


@pytest.mark.parametrize(("partitions", "expected"), [(295, False), (296, True)])
def test_a_group_with_many_members_and_tasks_is_long(
    world: World, partitions: int, expected: bool
) -> None:
    """One member counts as a task, of which a subtopology has as many as its largest topic."""
    world.put_topic("big", partitions)
    world.join(topology=BIG)
    assert world.group.configured is None
    assert is_long(world.group, None, world.coordinator.streams.topics) is expected

    world.beat()

    assert world.group.configured is not None
    assert is_long(world.group, None, world.coordinator.streams.topics) is expected


@pytest.mark.parametrize(("partitions", "expected"), [(296, False), (297, True)])
def test_a_join_that_creates_a_group_with_many_tasks_is_long(
    world: World, partitions: int, expected: bool
) -> None:
    """By its topology."""
    world.put_topic("big", partitions)

    assert is_long(None, BIG, world.coordinator.streams.topics) is expected


def test_a_group_without_topics_is_not_long(world: World) -> None:
    """It has no tasks; and a request without a topology does not create a group."""
    topics = world.coordinator.streams.topics
    world.join(topology=topology(subtopology("0", "other"), subtopology("1")))
    world.beat()

    assert not is_long(world.group, None, topics)
    assert not is_long(None, topology(subtopology("1")), topics)
    assert not is_long(None, None, topics)
