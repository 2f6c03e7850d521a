"""Offsets of streams groups in a coordinator."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from protocol.errors import ErrorCode
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.streams.world import TOPOLOGY, StreamsWorld, owned

STALE = ErrorCode.STALE_MEMBER_EPOCH
DAY_MS = 24 * 3600 * 1000


@pytest.fixture
def world() -> StreamsWorld:
    """A group with the member a, in epoch 3, that had two of its tasks in epoch 2."""
    world = StreamsWorld()
    world.join()
    world.join("b")
    world.beat(owned=owned({"0": [0, 1]}))
    world.put_topic("other", 1)
    return world


def committed(world: StreamsWorld, *partitions: TopicPartition, epoch: int) -> list[ErrorCode]:
    """The errors of a commit of the member a."""
    errors = world.coordinator.offsets.commit(
        OffsetCommit(
            group_id="g",
            generation_id_or_member_epoch=epoch,
            member_id="a",
            api_version=9,
            commits=[Commit(each, 7) for each in partitions],
        )
    )
    world.end_request()
    return list(errors)


def test_one_refused_partition_refuses_the_commit(world: StreamsWorld) -> None:
    """Nothing is committed."""
    kept, lost = TopicPartition("in", 0), TopicPartition("in", 2)
    assert committed(world, kept, epoch=2) == [ErrorCode.NONE]

    with pytest.raises(ApiError) as refused:
        committed(world, TopicPartition("in", 1), lost, epoch=2)

    assert refused.value.code is STALE
    assert list(world.coordinator.offsets.fetch("g")) == [kept]


def test_offsets_of_topics_that_members_read_are_not_deleted(world: StreamsWorld) -> None:
    """Those of other topics are; in an empty group all are."""
    read, other = TopicPartition("in", 0), TopicPartition("other", 0)
    committed(world, read, other, epoch=3)
    subscribed = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC

    offsets = world.coordinator.offsets
    assert offsets.delete("g", [read, other]) == {read: subscribed, other: ErrorCode.NONE}
    world.leave("a")
    world.leave("b")
    assert offsets.delete("g", [read]) == {read: ErrorCode.NONE}


def test_offsets_of_topics_that_members_read_do_not_expire() -> None:
    """Those of other topics do, after their commits."""
    days = str(20 * DAY_MS)
    world = StreamsWorld(
        group_streams_session_timeout_ms=days, group_streams_max_session_timeout_ms=days
    )
    world.put_topic("other", 1)
    world.join()
    read, other = TopicPartition("in", 0), TopicPartition("other", 0)
    committed(world, read, other, epoch=2)
    world.wait(8 * DAY_MS)

    ScriptPlayer(world).play(["expire"])

    assert list(world.coordinator.offsets.fetch("g")) == [read]


def test_an_empty_group_is_deleted_when_its_offsets_have_expired(world: StreamsWorld) -> None:
    """With its topology."""
    committed(world, TopicPartition("in", 0), epoch=3)
    world.leave("a")
    world.leave("b")
    world.wait(7 * DAY_MS - 1)
    ScriptPlayer(world).play(["expire"])
    assert "g" in world.coordinator.groups
    world.appended()

    world.wait(1)
    ScriptPlayer(world).play(["expire"])

    assert "g" not in world.coordinator.groups
    assert world.appended() == ["gone 1", "gone 20", "gone 17", "gone 23"]


def test_the_offsets_of_a_deleted_group_are_deleted_first(world: StreamsWorld) -> None:
    """In the same batch; the group does not exist after a restart."""
    committed(world, TopicPartition("in", 0), epoch=3)
    with pytest.raises(ApiError, match="NON_EMPTY_GROUP"):
        world.coordinator.delete_group("g")
    world.leave("a")
    world.leave("b")
    world.appended()

    world.coordinator.delete_group("g")

    assert world.appended() == ["gone 1", "gone 20", "gone 17", "gone 23"]
    world.restart()
    assert "g" not in world.coordinator.groups


def test_a_group_with_members_is_removed_by_force(world: StreamsWorld) -> None:
    """Its records are consistent: it can be loaded and created again."""
    world.coordinator.remove_group("g")
    world.restart()
    assert "g" not in world.coordinator.groups

    assert world.join(topology=TOPOLOGY).member_epoch == 2
