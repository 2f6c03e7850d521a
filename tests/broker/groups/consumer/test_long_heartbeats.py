"""Heartbeats that are prepared in a worker thread."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.consumer.long_heartbeats import LongHeartbeats
from broker.groups.consumer.requests import ConsumerGroupHeartbeat, ConsumerGroupHeartbeatResult
from protocol.errors import ErrorCode
from tests.broker.groups.virtual_world import VirtualWorld
from tests.held_offload import HeldOffload


class World:
    """A node whose worker threads are held, and a topic with four partitions."""

    def __init__(self) -> None:
        self.offload = HeldOffload()
        self.world = VirtualWorld(offload=self.offload)
        self.world.put_topic("t", 4)
        self.coordinator = self.world.coordinator

    @property
    def long(self) -> LongHeartbeats:
        """The long heartbeats of the coordinator."""
        return self.coordinator.long_heartbeats

    def begin(self, member_id: str, **fields: Any) -> Generator[Any, None, Any]:
        """Begin the first heartbeat of a member; returns its slices."""
        return self.long.heartbeat(join(member_id, **fields), 1)

    def finish(self, slices: Generator[Any, None, Any]) -> ConsumerGroupHeartbeatResult:
        """Run the slices and the thread to the end."""
        while True:
            try:
                next(slices)
            except StopIteration as end:
                result: ConsumerGroupHeartbeatResult = end.value
                return result
            self.offload.finish_next()


def join(member_id: str, **fields: Any) -> ConsumerGroupHeartbeat:
    """The first heartbeat of a member."""
    values: dict[str, Any] = {
        "group_id": "g",
        "member_id": member_id,
        "member_epoch": 0,
        "rebalance_timeout_ms": 60_000,
        "subscribed_topic_names": frozenset({"t"}),
        "owned": {},
    }
    return ConsumerGroupHeartbeat(**values | fields)


@pytest.fixture
def world() -> World:
    return World()


def test_a_long_heartbeat_has_the_same_result_as_a_short_one(world: World) -> None:
    """The same response and the same records."""
    other = VirtualWorld()
    other.put_topic("t", 4)

    result = world.finish(world.begin("m"))

    assert result == other.coordinator.consumers.heartbeat(join("m"), 1)
    assert [log.records for log in world.world.logs] == [log.records for log in other.logs]


def test_an_abandoned_preparation_changes_nothing(world: World) -> None:
    """If the client disconnects, the lock is released."""
    slices = world.begin("m")
    next(slices)
    assert not world.coordinator.groups

    slices.close()
    assert world.finish(world.begin("n")).member_epoch == 2
    assert list(world.coordinator.consumers.group("g").members) == ["n"]


def test_a_heartbeat_is_prepared_again_if_the_group_has_changed(world: World) -> None:
    """Both members are in the group."""
    slices = world.begin("m")
    next(slices)
    world.coordinator.consumers.heartbeat(join("n"), 1)

    assert world.finish(slices).member_epoch == 3
    assert sorted(world.coordinator.consumers.group("g").members) == ["m", "n"]


def test_a_heartbeat_is_prepared_again_if_the_topics_have_changed(world: World) -> None:
    """The assignment is that of the present topics."""
    slices = world.begin("m")
    next(slices)
    world.world.put_topic("t", 6)

    result = world.finish(slices)
    assert result.assigned is not None
    assert [len(partitions) for partitions in result.assigned.values()] == [6]


def test_long_heartbeats_of_a_group_run_one_at_a_time(world: World) -> None:
    """The second one begins when the first has ended."""
    first, second = world.begin("m"), world.begin("n")
    next(first)
    next(second)
    assert len(world.offload.jobs) == 1

    assert world.finish(first).member_epoch == 2
    next(second)
    assert world.finish(second).member_epoch == 3


def test_after_five_attempts_a_heartbeat_is_handled_at_once(world: World) -> None:
    """If the group has changed during each of them."""
    slices = world.begin("m")
    next(slices)
    for index in range(4):
        world.world.put_topic("t", 5 + index)
        world.offload.finish_next()
        next(slices)
    world.world.put_topic("t", 9)

    assert world.finish(slices).member_epoch == 2
    assert not world.offload.jobs


def test_an_error_is_raised(world: World) -> None:
    """Also if the group was unloaded meanwhile."""
    slices = world.begin("m")
    next(slices)
    for partition in range(len(world.world.logs)):
        world.coordinator.runtime.on_resignation(partition)

    with pytest.raises(ApiError) as refused:
        world.finish(slices)
    assert refused.value.code is ErrorCode.NOT_COORDINATOR


def test_a_heartbeat_is_long_if_it_may_move_many_partitions(world: World) -> None:
    """Not if its member is reconciled or leaves."""
    world.long.items_at_once_max = 3
    assert world.long.is_long(join("m"))
    epoch = world.coordinator.consumers.heartbeat(join("m"), 1).member_epoch

    settled = ConsumerGroupHeartbeat(group_id="g", member_id="m", member_epoch=epoch)
    leaving = ConsumerGroupHeartbeat(group_id="g", member_id="m", member_epoch=-1)
    assert not world.long.is_long(settled)
    assert not world.long.is_long(leaving)
    assert world.long.is_long(join("n"))
