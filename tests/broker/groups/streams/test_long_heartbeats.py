"""Heartbeats that are prepared in a worker thread."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.long_heartbeats import LongStreamsHeartbeat
from broker.groups.streams.requests import StreamsGroupHeartbeat, StreamsGroupHeartbeatResult
from protocol.errors import ErrorCode
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
