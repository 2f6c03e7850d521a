"""Heartbeats of share groups: members, epochs, assignments, initialized share partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from uuid import UUID

import pytest

from broker.common.errors import ApiError
from broker.config import parse_config
from broker.controller.metadata.image import MetadataImage
from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.classic.requests import JoinGroup, JoinResult
from broker.groups.metadata_image import CoordinatorMetadataImage
from broker.groups.share.group import ShareGroup
from broker.groups.share.requests import ShareGroupHeartbeat, ShareGroupHeartbeatResult
from broker.groups.time_limits import EXPIRATION_RETRY_BACKOFF_MS
from broker.share.share_partition_key import SharePartitionKey
from protocol.errors import ErrorCode
from tests.broker.groups.virtual_world import VirtualWorld
from tests.broker.share.memory_persister import MemoryPersister

A = UUID(int=1)


def send(
    world: VirtualWorld,
    member_id: str = "m",
    epoch: int = 0,
    names: frozenset[str] | None = None,
    group_id: str = "g",
) -> ShareGroupHeartbeatResult:
    """Send a heartbeat; a member that joins subscribes to a by default."""
    if epoch == 0 and names is None:
        names = frozenset({"a"})
    heartbeat = ShareGroupHeartbeat(
        group_id=group_id,
        member_id=member_id,
        member_epoch=epoch,
        subscribed_topic_names=names,
    )
    result = world.coordinator.share.heartbeat(heartbeat)
    world.end_request()
    return result


def world_with_topic(partitions: int = 2, **settings: str) -> VirtualWorld:
    """A world with the topic a, whose id is 1; keys are given with ``_`` for ``.``."""
    config = {"group.share.assignment.interval.ms": "0"}
    config |= {name.replace("_", "."): value for name, value in settings.items()}
    world = VirtualWorld(parse_config(config))
    world.put_topic("a", partitions)
    return world


def group(world: VirtualWorld) -> ShareGroup:
    """The group g."""
    found = world.coordinator.groups["g"]
    assert isinstance(found, ShareGroup)
    return found


def join(world: VirtualWorld) -> list[ErrorCode]:
    """Join g as a member of the classic protocol; returns the errors of the responses."""
    results: list[JoinResult] = []
    request = JoinGroup(
        group_id="g",
        member_id="",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        protocol_type="consumer",
        protocols=(MemberProtocol("range", b""),),
        require_known_member_id=True,
    )
    world.coordinator.join_group(request, results.append)
    return [each.error for each in results]


def refused(world: VirtualWorld, **fields: object) -> ErrorCode:
    """The error of a heartbeat."""
    with pytest.raises(ApiError) as refusal:
        send(world, **fields)  # type: ignore[arg-type]  # by name
    return refusal.value.code


def test_partitions_are_assigned_after_their_initialization() -> None:
    """The first response is empty; the next heartbeat gets them in another epoch."""
    world = world_with_topic()

    first, second = send(world), send(world, epoch=2)

    assert (first.member_epoch, first.assigned) == (2, {})
    assert (second.member_epoch, second.assigned) == (3, {A: (0, 1)})
    assert set(world.persister.states) == {SharePartitionKey("g", A, index) for index in (0, 1)}
    state = world.persister.states[SharePartitionKey("g", A, 0)]
    assert (state.state_epoch, state.start_offset) == (2, -1)


def test_an_unchanged_assignment_is_not_repeated() -> None:
    """Unless the member names its topics."""
    world = world_with_topic()
    send(world)
    send(world, epoch=2)

    assert send(world, epoch=3).assigned is None
    assert send(world, epoch=3, names=frozenset({"a"})).assigned == {A: (0, 1)}


class CountedTopics(CoordinatorMetadataImage):
    """The topics of a world; ``lookups`` is how often the ids of topics were looked up."""

    def __init__(self, image: Callable[[], MetadataImage]) -> None:
        super().__init__(image)
        self.lookups = 0

    def ids(self, names: Iterable[str]) -> frozenset[UUID]:
        """See `CoordinatorMetadataImage`."""
        self.lookups += 1
        return super().ids(names)


def test_an_assigned_group_is_not_compared_again() -> None:
    """A heartbeat that changes nothing does not look at the partitions of all members."""
    world = world_with_topic()
    topics = world.coordinator.share.topics = CountedTopics(lambda: world.image)
    for epoch in (0, 2, 3):
        send(world, epoch=epoch)
    before = topics.lookups

    send(world, epoch=3)

    assert topics.lookups == before


def test_new_partitions_are_initialized_and_assigned() -> None:
    """The two heartbeats after the change do so."""
    world = world_with_topic()
    send(world)
    send(world, epoch=2)
    world.put_topic("a", 3)

    fourth = send(world, epoch=3)
    fifth = send(world, epoch=fourth.member_epoch)

    assert fifth.assigned == {A: (0, 1, 2)}


def test_members_share_the_partitions() -> None:
    """A member that joins gets its partitions at once."""
    world = world_with_topic()
    send(world)
    send(world, epoch=2)

    other = send(world, "n")

    assert other.member_epoch == 4
    assert send(world, epoch=3).assigned == {A: (0,)}
    assert other.assigned == {A: (1,)}


def test_an_initialization_that_fails_is_repeated() -> None:
    """By the next heartbeat."""
    world = world_with_topic()
    key = SharePartitionKey("g", A, 0)
    world.persister.initialize(key, 99, 0, lambda _: None)
    send(world)
    assert set(group(world).state_partitions.initialized[A].partitions) == {1}
    del world.persister.states[key]

    send(world, epoch=2)

    assert set(group(world).state_partitions.initialized[A].partitions) == {0, 1}


def test_an_initialization_without_a_response_is_repeated_after_its_interval() -> None:
    """Heartbeats before that do not repeat it."""
    world = world_with_topic()
    world.persister.is_immediate = False
    send(world)
    world.persister = MemoryPersister()

    send(world, epoch=2)
    assert not world.persister.states
    world.wait(30_000)
    send(world, epoch=2)

    assert len(world.persister.states) == 2


def test_initialization_waits_for_the_log() -> None:
    """The share coordinator is not called before the record is replicated."""
    world = world_with_topic()
    world.slow_down()
    send(world)
    assert not world.persister.states

    world.replicate()
    world.end_request()

    assert len(world.persister.states) == 2


def test_a_member_without_heartbeats_is_removed() -> None:
    """After the session timeout; each heartbeat begins it again."""
    world = world_with_topic()
    send(world)
    world.wait(44_000)
    send(world, epoch=2)
    world.wait(44_000)
    assert "m" in group(world).members

    world.wait(1000)

    assert (group(world).state_name, group(world).epoch) == ("Empty", 4)


def test_a_refused_removal_is_repeated() -> None:
    """After a pause."""
    world = world_with_topic()
    send(world)
    world.refuse(ErrorCode.NOT_ENOUGH_REPLICAS)
    world.wait(45_000)
    assert "m" in group(world).members
    world.refuse(None)

    world.wait(EXPIRATION_RETRY_BACKOFF_MS)

    assert not group(world).members


def test_a_member_leaves() -> None:
    """The response has its epoch, -1; the group is empty and has another epoch."""
    world = world_with_topic()
    send(world)

    assert send(world, epoch=-1).member_epoch == -1
    assert (group(world).state_name, group(world).epoch, group(world).metadata_hash) == (
        "Empty",
        3,
        0,
    )


def test_a_lost_response_is_repeated() -> None:
    """A heartbeat with the previous epoch gets the present one."""
    world = world_with_topic()
    send(world)
    send(world, epoch=2)

    assert send(world, epoch=2).member_epoch == 3


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"epoch": 5}, ErrorCode.FENCED_MEMBER_EPOCH),
        ({"epoch": 1}, ErrorCode.FENCED_MEMBER_EPOCH),
        ({"epoch": -2}, ErrorCode.INVALID_REQUEST),
        ({"member_id": "x", "epoch": 2}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"member_id": "x", "epoch": -1}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"member_id": "x"}, ErrorCode.GROUP_MAX_SIZE_REACHED),
        ({"epoch": 0, "names": frozenset()}, ErrorCode.INVALID_REQUEST),
        ({"group_id": " "}, ErrorCode.INVALID_REQUEST),
        ({"group_id": "other", "epoch": 1}, ErrorCode.GROUP_ID_NOT_FOUND),
        ({"group_id": "other", "epoch": -1}, ErrorCode.GROUP_ID_NOT_FOUND),
    ],
)
def test_a_heartbeat_is_refused(fields: dict[str, object], error: ErrorCode) -> None:
    """The group is unchanged."""
    world = world_with_topic(group_share_max_size="1")
    send(world)
    before = group(world)

    assert refused(world, **fields) is error
    assert group(world) is before


def test_a_group_of_another_type_is_refused() -> None:
    """Also if it is empty."""
    world = world_with_topic()
    join(world)

    assert refused(world) is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_classic_member_cannot_join_a_share_group() -> None:
    """Its protocol is inconsistent with that of the group."""
    world = world_with_topic()
    send(world)

    assert join(world) == [ErrorCode.INCONSISTENT_GROUP_PROTOCOL]


def test_a_deleted_topic_is_forgotten() -> None:
    """Its partitions are neither initialized nor assigned any more."""
    world = world_with_topic()
    send(world)
    send(world, epoch=2)

    world.drop_topic("a")

    assert group(world).state_partitions.topic_ids() == set()
    assert send(world, epoch=3).assigned == {}


def test_a_restarted_coordinator_has_its_groups() -> None:
    """Their sessions begin again."""
    world = world_with_topic()
    send(world)
    send(world, epoch=2)
    before = group(world)

    world.restart()

    after = group(world)
    assert (after.members, after.target) == (before.members, before.target)
    assert (after.epoch, after.assignment_epoch) == (3, 3)
    assert after.state_partitions == before.state_partitions
    world.wait(45_000)
    assert group(world).is_empty


def test_the_timeouts_of_members_are_listed() -> None:
    """A member of a share group has a session."""
    world = world_with_topic()
    send(world)

    (timeout,) = world.coordinator.member_timeouts()

    assert (timeout.group_id, timeout.member_id, timeout.kind) == ("g", "m", "session")
    assert timeout.timeout_ms == 45_000


def test_an_assignment_waits_for_its_interval() -> None:
    """The epoch of the group moves on, and the member keeps its own."""
    world = world_with_topic(group_share_assignment_interval_ms="1000")
    send(world)

    assert send(world, epoch=2).member_epoch == 2
    world.wait(1000)
    assert send(world, epoch=2).assigned == {A: (0, 1)}


def test_an_empty_group_is_deleted() -> None:
    """Its records are tombstones, so it does not exist after a restart."""
    world = world_with_topic()
    send(world)
    with pytest.raises(ApiError, match="NON_EMPTY_GROUP"):
        world.coordinator.delete_group("g")
    send(world, epoch=-1)

    world.coordinator.delete_group("g")
    world.restart()

    assert "g" not in world.coordinator.groups


def test_the_topics_of_a_group_are_those_of_its_present_members() -> None:
    """They change when a member names others, joins or leaves."""
    world = world_with_topic()
    epoch = send(world, names=frozenset({"a"})).member_epoch
    send(world, "n", names=frozenset({"b"}))
    assert group(world).subscribed_topics() == {"a", "b"}

    send(world, epoch=epoch, names=frozenset({"c"}))
    assert group(world).subscribed_topics() == {"b", "c"}
    send(world, "n", epoch=-1)
    assert group(world).subscribed_topics() == {"c"}
