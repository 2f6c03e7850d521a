"""Commit, fetch and expiry of offsets (mirrors ``OffsetMetadataManagerTest``)."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import parse_config
from broker.groups.group_coordinator_service import GroupCoordinatorService
from broker.groups.offset_and_metadata import OffsetAndMetadata
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import EPOCH_MS, VirtualWorld

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
HOUR_MS = 3_600_000


@pytest.fixture
def coordinator() -> GroupCoordinatorService:
    return VirtualWorld().coordinator


def commit(
    coordinator: GroupCoordinatorService, *commits: Commit, **fields: object
) -> list[ErrorCode]:
    request = OffsetCommit(group_id="g", commits=commits)
    for name, value in fields.items():
        setattr(request, name, value)
    return coordinator.offsets.commit(request)


def test_a_committed_offset_can_be_fetched(coordinator: GroupCoordinatorService) -> None:
    """With epoch, metadata and the time of the commit; absent metadata is empty."""
    errors = commit(coordinator, Commit(T0, 5, 2, "here"), Commit(T1, 7))

    assert errors == [ErrorCode.NONE] * 2
    assert coordinator.offsets.fetch("g") == {
        T0: OffsetAndMetadata(5, 2, "here", EPOCH_MS),
        T1: OffsetAndMetadata(7, -1, "", EPOCH_MS),
    }


def test_a_commit_may_contain_a_retention(
    coordinator: GroupCoordinatorService,
) -> None:
    """In versions 2 to 4; it begins with the commit."""
    commit(coordinator, Commit(T0, 5), retention_ms=1000)

    assert coordinator.offsets.fetch("g")[T0].expire_timestamp_ms == EPOCH_MS + 1000


@pytest.mark.parametrize(
    ("retention_ms", "expires_ms"),
    [
        (2**63 - 1, EPOCH_MS - 2**63 - 1),
        (-(2**63), EPOCH_MS - 2**63),
        (-2, EPOCH_MS - 2),
        (-1 - EPOCH_MS, None),
    ],
)
def test_a_retention_beyond_64_bits_wraps_around(
    coordinator: GroupCoordinatorService, retention_ms: int, expires_ms: int | None
) -> None:
    """As the sum of longs in Java, so the longest retention ends at once; -1 is no retention."""
    assert commit(coordinator, Commit(T0, 5), retention_ms=retention_ms) == [ErrorCode.NONE]

    assert coordinator.offsets.fetch("g")[T0].expire_timestamp_ms == expires_ms
    finish(coordinator.expire_offsets())
    assert bool(coordinator.offsets.fetch("g")) == (expires_ms is None)


def test_a_fetch_for_an_unknown_group_returns_no_offsets(
    coordinator: GroupCoordinatorService,
) -> None:
    """It is not an error."""
    assert coordinator.offsets.fetch("g") == {}


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ("x" * 4096, ErrorCode.NONE),
        ("x" * 4097, ErrorCode.OFFSET_METADATA_TOO_LARGE),
        ("é" * 4096, ErrorCode.NONE),
        ("\N{GRINNING FACE}" * 2048, ErrorCode.NONE),
        ("\N{GRINNING FACE}" * 2049, ErrorCode.OFFSET_METADATA_TOO_LARGE),
    ],
)
def test_metadata_is_measured_in_utf16(
    coordinator: GroupCoordinatorService, metadata: str, error: ErrorCode
) -> None:
    """``offset.metadata.max.bytes`` counts the characters of a Java string."""
    assert commit(coordinator, Commit(T0, 1, -1, metadata)) == [error]


def test_too_long_metadata_fails_only_its_partition(
    coordinator: GroupCoordinatorService,
) -> None:
    """The other partitions are committed."""
    errors = commit(coordinator, Commit(T0, 1, -1, "x" * 5000), Commit(T1, 2))

    assert errors == [ErrorCode.OFFSET_METADATA_TOO_LARGE, ErrorCode.NONE]
    assert list(coordinator.offsets.fetch("g")) == [T1]


def test_a_commit_whose_offsets_are_all_refused_creates_the_group(
    coordinator: GroupCoordinatorService,
) -> None:
    """As ``getOrMaybeCreateClassicGroup``: the next commit needs a member of the group."""
    commit(coordinator, Commit(T0, 1, -1, "x" * 5000))

    assert coordinator.offsets.delete("g", [T0]) == {T0: ErrorCode.NONE}
    with pytest.raises(ApiError) as refusal:
        commit(coordinator, Commit(T0, 1), generation_id_or_member_epoch=0, member_id="q")
    assert refusal.value.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_group_without_offsets_and_members_is_deleted(
    coordinator: GroupCoordinatorService,
) -> None:
    """By the next check of expired offsets."""
    commit(coordinator, Commit(T0, 1, -1, "x" * 5000))

    finish(coordinator.expire_offsets())

    assert coordinator.groups == {}


@pytest.mark.parametrize(
    ("version", "error"),
    [(9, ErrorCode.GROUP_ID_NOT_FOUND), (8, ErrorCode.ILLEGAL_GENERATION)],
)
def test_a_commit_with_a_generation_to_an_unknown_group_is_refused(
    coordinator: GroupCoordinatorService, version: int, error: ErrorCode
) -> None:
    """Clients before version 9 do not know GROUP_ID_NOT_FOUND."""
    with pytest.raises(ApiError) as refused:
        commit(
            coordinator,
            Commit(T0, 1),
            generation_id_or_member_epoch=1,
            member_id="m",
            api_version=version,
        )

    assert refused.value.code is error
    assert coordinator.groups == {}


def test_a_commit_with_a_generation_to_an_empty_group_is_refused(
    coordinator: GroupCoordinatorService,
) -> None:
    """The member is unknown."""
    commit(coordinator, Commit(T0, 1))

    with pytest.raises(ApiError, match="UNKNOWN_MEMBER_ID"):
        commit(coordinator, Commit(T0, 2), generation_id_or_member_epoch=0)


def test_a_commit_is_visible_when_it_is_replicated() -> None:
    """Until then a fetch returns the offset before."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["commit - t-0=1", "slow", "commit - t-0=2 t-1=2"])

    assert player.play(["offsets", "replicate", "offsets"]) == [
        "0 offsets t-0=1",
        "0 - commit NONE NONE",
        "0 offsets t-0=2 t-1=2",
    ]


def test_a_refused_commit_changes_nothing() -> None:
    """Neither the written nor the replicated offsets."""
    world = VirtualWorld()
    world.refuse(ErrorCode.NOT_ENOUGH_REPLICAS)
    with pytest.raises(ApiError, match="COORDINATOR_NOT_AVAILABLE"):
        commit(world.coordinator, Commit(T0, 1))

    assert world.coordinator.groups == {}
    assert world.coordinator.offsets.fetch("g") == {}


def test_offsets_of_deleted_topics_are_deleted(coordinator: GroupCoordinatorService) -> None:
    """A new topic with the same name has no committed offsets."""
    commit(coordinator, Commit(T0, 1))
    finish(coordinator.offsets.on_topic_deleted("t"))

    assert coordinator.offsets.fetch("g") == {}


def test_the_deletion_of_a_topic_visits_only_its_groups(
    coordinator: GroupCoordinatorService,
) -> None:
    """Each in a piece of its own; the offsets of other topics stay."""
    other = TopicPartition("other", 0)
    for group_id in ("g", "h"):
        commit(coordinator, Commit(T0, 1), Commit(T1, 1), group_id=group_id)
    for index in range(9):
        commit(coordinator, Commit(other, 1), group_id=f"other{index}")
    commit(coordinator, Commit(other, 1))

    assert len(list(coordinator.offsets.on_topic_deleted("t"))) == 2

    assert list(coordinator.offsets.fetch("g")) == [other]
    assert coordinator.offsets.fetch("h") == {}


def test_offsets_of_an_empty_group_expire() -> None:
    """After ``offsets.retention.minutes``; the group is deleted with them."""
    world = VirtualWorld(parse_config({"offsets.retention.minutes": "120"}))
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", "commit a t-0=1", "leave a"])

    for hours in (1, 2):
        world.wait(HOUR_MS)
        finish(world.coordinator.expire_offsets())
        assert ("g" in world.coordinator.groups) == (hours < 2)
    assert world.coordinator.offsets.fetch("g") == {}


def test_offsets_of_a_simple_consumer_expire_one_by_one() -> None:
    """Each since its commit; the retention of a commit has priority over the broker's."""
    world = VirtualWorld(parse_config({"offsets.retention.minutes": "120"}))
    commit(world.coordinator, Commit(T0, 1))
    commit(world.coordinator, Commit(T1, 1), retention_ms=5 * HOUR_MS)
    world.wait(2 * HOUR_MS)
    finish(world.coordinator.expire_offsets())

    assert list(world.coordinator.offsets.fetch("g")) == [T1]


def test_offsets_of_subscribed_topics_do_not_expire() -> None:
    """Offsets of other topics do."""
    world = VirtualWorld(parse_config({"offsets.retention.minutes": "1"}))
    world.put_topic("t", 2)
    player = ScriptPlayer(world)
    player.play(["consume a t", "commit a t-0=1 u-0=1", "wait 40000", "beat a", "wait 40000"])
    finish(world.coordinator.expire_offsets())

    assert player.play(["offsets"]) == ["80000 offsets t-0=1"]


MANY = [TopicPartition("t", number) for number in range(200)]


def _world_with_many_offsets() -> VirtualWorld:
    """A world in which a simple consumer has committed many offsets, which have expired."""
    world = VirtualWorld(parse_config({"offsets.retention.minutes": "120"}))
    commit(world.coordinator, *(Commit(each, 1) for each in MANY))
    world.end_request()
    world.wait(2 * HOUR_MS)
    return world


def test_many_offsets_of_a_group_expire_in_pieces() -> None:
    """So they fit into batches, however many they are; then the group is deleted."""
    world = _world_with_many_offsets()
    for log in world.logs:
        log.batch_bytes_max = 3000
    expiry = world.coordinator.expire_offsets()
    next(expiry)
    assert 0 < len(world.coordinator.offsets.fetch("g")) < len(MANY)

    finish(expiry)

    assert world.coordinator.offsets.fetch("g") == {}
    assert world.coordinator.groups == {}


def test_an_offset_that_is_committed_during_an_expiry_does_not_expire() -> None:
    """Neither does its group."""
    world = _world_with_many_offsets()
    expiry = world.coordinator.expire_offsets()
    next(expiry)
    commit(world.coordinator, Commit(MANY[-1], 2))
    world.end_request()

    finish(expiry)

    assert list(world.coordinator.offsets.fetch("g")) == [MANY[-1]]
    assert list(world.coordinator.groups) == ["g"]


def test_an_expiry_ends_if_its_group_is_deleted() -> None:
    """Or if the node resigns."""
    world = _world_with_many_offsets()
    expiry = world.coordinator.expire_offsets()
    next(expiry)
    world.coordinator.delete_group("g")
    world.end_request()
    records = sum(log.end_offset for log in world.logs)

    finish(expiry)

    assert sum(log.end_offset for log in world.logs) == records


def test_many_offsets_of_a_deleted_topic_are_deleted_in_pieces() -> None:
    """So they fit into batches."""
    world = _world_with_many_offsets()
    for log in world.logs:
        log.batch_bytes_max = 3000
    deletion = world.coordinator.offsets.on_topic_deleted("t")
    next(deletion)
    world.end_request()
    assert 0 < len(world.coordinator.offsets.fetch("g")) < len(MANY)

    finish(deletion)
    world.end_request()

    assert world.coordinator.offsets.fetch("g") == {}
