"""Heartbeats of share groups that are prepared in a worker thread."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.share.group import ShareGroup
from broker.groups.share.long_heartbeats import LongShareHeartbeat
from broker.groups.share.requests import ShareGroupHeartbeat, ShareGroupHeartbeatResult
from protocol.errors import ErrorCode
from tests.broker.groups.virtual_world import VirtualWorld
from tests.held_offload import HeldOffload


class World:
    """A node whose worker threads are held, and a topic with two partitions."""

    def __init__(self) -> None:
        self.offload = HeldOffload()
        self.world = VirtualWorld(offload=self.offload)
        self.world.put_topic("t", 2)

    def begin(self, member_id: str = "m", epoch: int = 0) -> Generator[Any, None, Any]:
        """Begin a heartbeat; returns its slices, which wait for the thread."""
        coordinator = self.world.coordinator
        change = LongShareHeartbeat(coordinator.share, heartbeat(member_id, epoch))
        slices = coordinator.changes.run(change)
        next(slices)
        return slices

    def finish(self, slices: Generator[Any, None, Any]) -> ShareGroupHeartbeatResult:
        """Run the thread and the slices to the end."""
        while True:
            self.offload.finish_next()
            try:
                next(slices)
            except StopIteration as end:
                result: ShareGroupHeartbeatResult = end.value
                return result

    @property
    def members(self) -> list[str]:
        """The members of the group g."""
        group = self.world.coordinator.groups["g"]
        assert isinstance(group, ShareGroup)
        return list(group.members)


def heartbeat(member_id: str = "m", epoch: int = 0) -> ShareGroupHeartbeat:
    """A heartbeat that subscribes to t."""
    return ShareGroupHeartbeat(
        group_id="g",
        member_id=member_id,
        member_epoch=epoch,
        subscribed_topic_names=frozenset({"t"}),
    )


@pytest.fixture
def world() -> World:
    return World()


def test_a_long_heartbeat_has_the_same_result_as_a_short_one(world: World) -> None:
    """The same response and the same records."""
    other = VirtualWorld()
    other.put_topic("t", 2)

    result = world.finish(world.begin())

    assert result == other.coordinator.share.heartbeat(heartbeat())
    assert [log.records for log in world.world.logs] == [log.records for log in other.logs]


def test_a_heartbeat_is_prepared_again_if_the_group_has_changed(world: World) -> None:
    """Both members are in the group."""
    slices = world.begin("m")
    world.world.coordinator.share.heartbeat(heartbeat("n"))
    world.finish(slices)

    assert sorted(world.members) == ["m", "n"]


def test_a_heartbeat_is_refused_if_the_node_has_resigned_meanwhile(world: World) -> None:
    """Nothing is written."""
    slices = world.begin()
    for partition in range(len(world.world.logs)):
        world.world.coordinator.runtime.on_resignation(partition)

    with pytest.raises(ApiError) as refused:
        world.finish(slices)
    assert refused.value.code is ErrorCode.NOT_COORDINATOR
    assert not any(log.records for log in world.world.logs)


def test_an_error_of_the_preparation_is_raised(world: World) -> None:
    """As that of a short heartbeat."""
    slices = world.begin(epoch=7)
    with pytest.raises(ApiError, match="Share group g not found"):
        world.finish(slices)


def test_an_abandoned_preparation_changes_nothing(world: World) -> None:
    """If the client disconnects, the lock is released."""
    world.begin("m").close()
    assert world.world.coordinator.groups == {}
    world.offload.jobs.clear()

    world.finish(world.begin("n"))
    assert world.members == ["n"]
