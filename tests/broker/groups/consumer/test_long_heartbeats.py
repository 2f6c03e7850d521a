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
    """A node whose worker threads are held, and a topic of four partitions."""

    def __init__(self) -> None:
        self.offload = HeldOffload()
        self.world = VirtualWorld(offload=self.offload)
        self.world.put_topic("t", 4)
        self.coordinator = self.world.coordinator

    @property
    def long(self) -> LongHeartbeats:
        """What is tested."""
        return self.coordinator.long_heartbeats

    def begin(self, member_id: str, **fields: Any) -> Generator[Any, None, Any]:
        """The slices of a member's first heartbeat."""
        return self.long.heartbeat(join(member_id, **fields), 1)

    def finish(self, slices: Generator[Any, None, Any]) -> ConsumerGroupHeartbeatResult:
        """Run slices, and the thread between them, to their end."""
        while True:
            try:
                next(slices)
            except StopIteration as end:
                result: ConsumerGroupHeartbeatResult = end.value
                return result
            self.offload.finish_next()


def join(member_id: str, **fields: Any) -> ConsumerGroupHeartbeat:
    """A member's first heartbeat."""
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


def test_its_outcome_is_that_of_any_heartbeat(world: World) -> None:
    """The same response and the same records."""
    other = VirtualWorld()
    other.put_topic("t", 4)

    result = world.finish(world.begin("m"))

    assert result == other.coordinator.consumers.heartbeat(join("m"), 1)
    assert [log.records for log in world.world.logs] == [log.records for log in other.logs]


def test_nothing_changes_while_it_is_prepared(world: World) -> None:
    """A client that disconnects meanwhile leaves no trace, and the next one has its turn."""
    slices = world.begin("m")
    next(slices)
    assert not world.coordinator.groups

    slices.close()
    assert world.finish(world.begin("n")).member_epoch == 2
    assert list(world.coordinator.consumers.group("g").members) == ["n"]


def test_it_is_prepared_again_if_the_group_has_changed(world: World) -> None:
    """Both members are in the group, as if one had come after the other."""
    slices = world.begin("m")
    next(slices)
    world.coordinator.consumers.heartbeat(join("n"), 1)

    assert world.finish(slices).member_epoch == 3
    assert sorted(world.coordinator.consumers.group("g").members) == ["m", "n"]


def test_it_is_prepared_again_if_the_topics_have_changed(world: World) -> None:
    """The assignment is that of the topics when it counts."""
    slices = world.begin("m")
    next(slices)
    world.world.put_topic("t", 6)

    result = world.finish(slices)
    assert result.assigned is not None
    assert [len(partitions) for partitions in result.assigned.values()] == [6]


def test_those_of_one_group_take_turns(world: World) -> None:
    """The second one does not begin before the first has ended."""
    first, second = world.begin("m"), world.begin("n")
    next(first)
    next(second)
    assert len(world.offload.jobs) == 1

    assert world.finish(first).member_epoch == 2
    next(second)
    assert world.finish(second).member_epoch == 3


def test_a_group_that_keeps_changing_is_handled_at_once(world: World) -> None:
    """After five attempts the heartbeat waits no longer."""
    slices = world.begin("m")
    next(slices)
    for index in range(4):
        world.world.put_topic("t", 5 + index)
        world.offload.finish_next()
        next(slices)
    world.world.put_topic("t", 9)

    assert world.finish(slices).member_epoch == 2
    assert not world.offload.jobs


def test_a_refusal_is_raised(world: World) -> None:
    """Of a group that went away to another node meanwhile, too."""
    slices = world.begin("m")
    next(slices)
    for partition in range(len(world.world.logs)):
        world.coordinator.runtime.on_resignation(partition)

    with pytest.raises(ApiError) as refused:
        world.finish(slices)
    assert refused.value.code is ErrorCode.NOT_COORDINATOR


def test_which_heartbeats_are_long(world: World) -> None:
    """Those that may move many partitions; not those of members that have nothing to do."""
    world.long.items_at_once_max = 3
    assert world.long.is_long(join("m"))
    epoch = world.coordinator.consumers.heartbeat(join("m"), 1).member_epoch

    settled = ConsumerGroupHeartbeat(group_id="g", member_id="m", member_epoch=epoch)
    leaving = ConsumerGroupHeartbeat(group_id="g", member_id="m", member_epoch=-1)
    assert not world.long.is_long(settled)
    assert not world.long.is_long(leaving)
    assert world.long.is_long(join("n"))
