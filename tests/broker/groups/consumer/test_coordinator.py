"""Consumer group heartbeats beyond the scenarios (``GroupMetadataManagerTest``)."""

from __future__ import annotations

from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.config import parse_config
from broker.groups.consumer.requests import ConsumerGroupHeartbeat, ConsumerGroupHeartbeatResult
from protocol.errors import ErrorCode
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld


@pytest.fixture
def world() -> VirtualWorld:
    world = VirtualWorld()
    world.put_topic("t", 4)
    return world


@pytest.fixture
def player(world: VirtualWorld) -> ScriptPlayer:
    return ScriptPlayer(world)


def heartbeat(
    world: VirtualWorld, epoch: int = 0, version: int = 1, **fields: Any
) -> ConsumerGroupHeartbeatResult:
    """A heartbeat of member m, which subscribes to t when it joins."""
    values: dict[str, Any] = {"group_id": "g", "member_id": "m", "member_epoch": epoch}
    if epoch == 0:
        values |= {
            "rebalance_timeout_ms": 60_000,
            "subscribed_topic_names": frozenset({"t"}),
            "owned": {},
        }
    request = ConsumerGroupHeartbeat(**values | fields)
    return world.coordinator.consumers.heartbeat(request, version)


def refusal(world: VirtualWorld, **fields: Any) -> ApiError:
    """The error of a heartbeat."""
    with pytest.raises(ApiError) as refused:
        heartbeat(world, **fields)
    return refused.value


# ------------------------------------------------------------------------------------ heartbeat


def test_a_member_without_an_id_gets_one(world: VirtualWorld) -> None:
    """Mirrors testMemberIdGeneration: in version 0, another one each time."""
    ids = {heartbeat(world, version=0, member_id="").member_id for _ in range(3)}

    assert len(ids) == 3
    assert "" not in ids


def test_a_response_contains_the_heartbeat_interval() -> None:
    """The group configuration has priority over the broker's."""
    world = VirtualWorld(parse_config({"group.consumer.heartbeat.interval.ms": "6000"}))
    interval_ms = heartbeat(world).heartbeat_interval_ms
    world.coordinator.consumers.configs.replace("g", {"consumer.heartbeat.interval.ms": "7000"})

    assert (interval_ms, heartbeat(world).heartbeat_interval_ms) == (6000, 7000)


def test_a_full_request_gets_the_assignment(world: VirtualWorld) -> None:
    """Other responses contain it only if it has changed."""
    epoch = heartbeat(world).member_epoch
    said: dict[str, Any] = {
        "rebalance_timeout_ms": 60_000,
        "subscribed_topic_names": frozenset({"t"}),
    }

    assert heartbeat(world, epoch).assigned is None
    assert heartbeat(world, epoch, **said).assigned is None
    full = heartbeat(world, epoch, **said, owned={})
    assert full.assigned is not None
    assert [list(parts) for parts in full.assigned.values()] == [[0, 1, 2, 3]]


def test_a_heartbeat_to_an_unknown_group_is_refused(
    world: VirtualWorld, player: ScriptPlayer
) -> None:
    """Mirrors testUnknownGroupId; a classic group is refused, too, unless the member joins."""
    missing = refusal(world, epoch=1)
    player.play(["enter a"])
    other = refusal(world, epoch=1)
    leaving = refusal(world, epoch=-1)

    assert (missing.code, missing.message) == (
        ErrorCode.GROUP_ID_NOT_FOUND,
        "Consumer group g not found.",
    )
    assert (other.code, other.message) == (
        ErrorCode.GROUP_ID_NOT_FOUND,
        "Group g is not a consumer group.",
    )
    assert leaving.code is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_heartbeat_to_the_wrong_node_is_refused(
    world: VirtualWorld, player: ScriptPlayer
) -> None:
    """After the checks of the request itself."""
    player.play(["unload"])

    assert refusal(world).code is ErrorCode.NOT_COORDINATOR
    assert refusal(world, member_id="").code is ErrorCode.INVALID_REQUEST


def test_a_heartbeat_without_changes_appends_nothing(world: VirtualWorld) -> None:
    """The usual case."""
    epoch = heartbeat(world).member_epoch
    before = sum(log.batches for log in world.logs)
    heartbeat(world, epoch)

    assert sum(log.batches for log in world.logs) == before


def test_all_records_of_a_heartbeat_are_one_batch(world: VirtualWorld) -> None:
    """They are replicated together or not at all."""
    heartbeat(world)

    assert sum(log.batches for log in world.logs) == 1


# ------------------------------------------------------------------------------ leaving, expiry


def test_the_last_member_leaves_an_empty_group(player: ScriptPlayer) -> None:
    """Mirrors testLeavingMemberBumpsGroupEpoch; the group stays because of its offsets."""
    player.play(["consume a t", "commit a t-0=5", "quit a"])

    assert player.play(["describe", "offsets"]) == [
        "0 group Empty epoch 3 assigned 2",
        "0 offsets t-0=5",
    ]


def test_only_the_member_with_an_instance_id_may_leave_with_it(player: ScriptPlayer) -> None:
    """Another member is fenced."""
    player.play(["consume a t instance=i", "consume b t"])
    player.members["b"].instance = "i"

    assert player.play(["quit b", "pause b"]) == [
        "0 b quit FENCED_INSTANCE_ID",
        "0 b pause FENCED_INSTANCE_ID",
    ]


def test_a_removal_that_the_log_refuses_is_retried(player: ScriptPlayer) -> None:
    """After half a second, as in Kafka."""
    player.play(["consume a t", "refuse NOT_ENOUGH_REPLICAS", "wait 45000", "refuse nothing"])
    assert player.play(["describe"])[1:] == ["45000 - a epoch 2 has t-0,1,2,3"]

    player.play(["wait 499"])
    assert len(player.play(["describe"])) == 2
    player.play(["wait 1"])
    assert len(player.play(["describe"])) == 1


def test_topics_are_compared_again_after_a_refused_append(
    world: VirtualWorld, player: ScriptPlayer
) -> None:
    """So the next heartbeat computes an assignment."""
    player.play(["consume a t", "topic t 6", "refuse NOT_ENOUGH_REPLICAS", "beat a"])

    assert player.play(["refuse nothing", "beat a"]) == ["0 a beat epoch 3 has t-0,1,2,3,4,5"]


def test_topics_are_compared_again_after_a_load(player: ScriptPlayer) -> None:
    """They may have changed while another node coordinated the group."""
    player.play(["consume a t", "unload", "topic t 6", "restart"])

    assert player.play(["beat a"]) == ["0 a beat epoch 3 has t-0,1,2,3,4,5"]


def test_the_topics_of_an_overwritten_member_are_noticed_after_a_load(player: ScriptPlayer) -> None:
    """As in Kafka: the metadata hash in the log is that of its former subscription."""
    player.play(["topic u 3", "consume a t instance=i", "consume b u", "pause a"])

    assert player.play(["consume b t instance=i", "restart", "beat b"]) == [
        "0 b consume epoch 3 has t-0,1,2,3",
        "0 b beat epoch 4",
    ]


def test_a_classic_member_whose_join_is_not_replicated_expires(player: ScriptPlayer) -> None:
    """Its client got an error and may not join again."""
    player.play(["consume a t", "slow", "join b topics=t v=3", "wait 5000", "replicate"])
    player.play(["wait 9999", "beat a", "wait 1"])

    assert [line.split()[2] for line in player.play(["describe"])[1:]] == ["a"]


def test_a_timeout_of_an_unloaded_group_has_no_effect(player: ScriptPlayer) -> None:
    """The next coordinator has its own timeouts."""
    player.play(["consume a t", "unload", "wait 100000"])

    assert player.play(["restart", "describe"])[1:] == ["100000 - a epoch 2 has t-0,1,2,3"]


# -------------------------------------------------------------------------------------- topics


def test_topics_without_subscribers_change_nothing(
    world: VirtualWorld, player: ScriptPlayer
) -> None:
    """Only groups that subscribe to them compare their topics."""
    player.play(["consume a t", "topic u 3"])

    assert player.play(["beat a", "topic t 5", "beat a"]) == [
        "0 a beat epoch 2",
        "0 a beat epoch 3 has t-0,1,2,3,4",
    ]


def test_resolved_expressions_that_the_log_refuses_are_dropped(player: ScriptPlayer) -> None:
    """A later heartbeat resolves them again."""
    player.play(["consume a regex=t.*", "refuse NOT_ENOUGH_REPLICAS", "wait 1", "refuse nothing"])
    assert player.play(["beat a"]) == ["1 a beat epoch 1"]

    assert player.play(["wait 1", "beat a"]) == ["2 a beat epoch 2 has t-0,1,2,3"]


def test_the_expressions_of_a_deleted_group_are_not_resolved(
    world: VirtualWorld, player: ScriptPlayer
) -> None:
    """The scheduled resolution has no effect."""
    player.play(["consume a regex=t.*", "unload", "wait 1"])

    assert world.coordinator.groups == {}


def test_a_classic_group_is_not_a_consumer_group(world: VirtualWorld, player: ScriptPlayer) -> None:
    """The error message says so."""
    player.play(["enter a"])
    with pytest.raises(ApiError, match="is not a consumer group"):
        world.coordinator.consumers.group("g")
    with pytest.raises(ApiError, match="Group h not found"):
        world.coordinator.consumers.group("h")


def test_an_expression_is_removed_with_its_last_subscriber(
    world: VirtualWorld, player: ScriptPlayer
) -> None:
    """So it is not resolved any more."""
    player.play(["consume a regex=t.*", "consume b t", "wait 1"])
    assert set(world.coordinator.consumers.group("g").regexes) == {"t.*"}

    player.play(["quit a"])

    assert world.coordinator.consumers.group("g").regexes == {}


def test_a_rebalance_timeout_of_an_unloaded_group_has_no_effect(player: ScriptPlayer) -> None:
    """The next coordinator has its own timeouts."""
    player.play(["consume a t rebalance=1000", "consume b t", "beat a", "unload", "wait 2000"])

    assert player.play(["restart", "describe"])[0] == "2000 group Reconciling epoch 3 assigned 3"
