"""Streams groups that replace classic groups, and the other way round."""

from __future__ import annotations

import pytest

from broker.common.topic_partition import TopicPartition
from broker.groups.consumer.requests import ConsumerGroupHeartbeat
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from broker.groups.share.requests import ShareGroupHeartbeat
from protocol.errors import ErrorCode
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.streams.topics.topologies import subtopology, topology
from tests.broker.groups.streams.world import (
    StreamsWorld,
    active,
    joining,
)

ALL = {"0": [0, 1, 2, 3]}
NOT_FOUND = ErrorCode.GROUP_ID_NOT_FOUND


@pytest.fixture
def world() -> StreamsWorld:
    """A group in which a has all tasks, in epoch 2."""
    world = StreamsWorld()
    assert active(world.join()) == ALL
    return world


def test_an_empty_classic_group_becomes_a_streams_group() -> None:
    """Its tombstone is the first record of the batch; its offsets stay."""
    world = StreamsWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", "commit a in-0=5", "leave a"])
    world.appended()
    log = world.logs[world.coordinator.runtime.partition_for("g")]
    batches = log.batches

    assert active(world.join()) == ALL

    assert world.appended() == ["gone 2", "19 a", "23", "17", "21 a", "20", "22 a"]
    assert log.batches == batches + 1
    assert player.play(["offsets"]) == ["0 offsets in-0=5"]
    world.restart()
    assert world.group.state_name == "Stable"


def test_a_group_with_offsets_only_becomes_a_streams_group() -> None:
    """The batch begins with the tombstone of its generation, which it does not have."""
    world = StreamsWorld()
    world.coordinator.offsets.commit(
        OffsetCommit(group_id="g", commits=[Commit(TopicPartition("in", 0), 5)])
    )
    world.end_request()
    world.appended()

    world.join()

    assert world.appended()[0] == "gone 2"
    assert len(world.coordinator.offsets.fetch("g")) == 1


def test_a_classic_group_that_is_replaced_has_no_timeouts() -> None:
    """Here of a client that has got a member id and has not joined with it."""
    world = StreamsWorld()
    ScriptPlayer(world).play(["join b"])

    world.join()

    timeouts = [(each.member_id, each.kind) for each in world.coordinator.member_timeouts()]
    assert timeouts == [("a", "session")]
    world.wait(10_000)
    assert list(world.group.members) == ["a"]


def test_a_classic_group_keeps_its_type_if_the_heartbeat_is_refused() -> None:
    """Nothing is written."""
    world = StreamsWorld()
    ScriptPlayer(world).play(["enter a", "leave a"])
    world.appended()

    world.refusal(joining(topology=topology(subtopology("0"))))

    assert world.coordinator.groups["g"].group_type == "classic"
    assert world.appended() == []


def test_an_empty_streams_group_becomes_a_classic_group(world: StreamsWorld) -> None:
    """Its tombstones precede the generation in one batch; its offsets stay."""
    world.leave()
    player = ScriptPlayer(world)
    player.play(["commit - in-0=5"])
    world.appended()

    (response,) = player.play(["enter b"])

    assert response.startswith("0 b join generation 1")
    assert world.appended()[:4] == ["gone 20", "gone 17", "gone 23", "2"]
    assert player.play(["offsets"]) == ["0 offsets in-0=5"]


def test_a_classic_member_cannot_join_a_streams_group_with_members(world: StreamsWorld) -> None:
    """Its protocol is inconsistent, and the response has no member id."""
    assert ScriptPlayer(world).play(["join b"]) == ["0 b join INCONSISTENT_GROUP_PROTOCOL"]


def test_requests_of_classic_members(world: StreamsWorld) -> None:
    """They are not members."""
    player = ScriptPlayer(world)

    assert player.play(["sync b", "heartbeat b as=a", "leave b"]) == [
        "0 b sync UNKNOWN_MEMBER_ID",
        "0 b heartbeat UNKNOWN_MEMBER_ID",
        "0 b leave UNKNOWN_MEMBER_ID",
    ]


@pytest.mark.parametrize("is_empty", [False, True])
@pytest.mark.parametrize("epoch", [0, 2, -1])
def test_members_of_other_protocols(world: StreamsWorld, epoch: int, is_empty: bool) -> None:
    """A streams group is neither a consumer nor a share group."""
    if is_empty:
        world.leave()
    names = frozenset({"in"})
    consumer = ConsumerGroupHeartbeat(
        group_id="g",
        member_id="b",
        member_epoch=epoch,
        rebalance_timeout_ms=1000,
        subscribed_topic_names=names,
        owned={},
    )
    share = ShareGroupHeartbeat(
        group_id="g", member_id="b", member_epoch=epoch, subscribed_topic_names=names
    )

    for send, kind in (
        (lambda: world.coordinator.consumers.heartbeat(consumer, 1), "consumer"),
        (lambda: world.coordinator.share.heartbeat(share), "share"),
    ):
        with pytest.raises(Exception, match=f"Group g is not a {kind} group") as refused:
            send()
        assert refused.value.code is NOT_FOUND  # type: ignore[attr-defined]  # an ApiError
