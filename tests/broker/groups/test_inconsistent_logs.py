"""Logs of groups that load and logs that fail, as observed with Kafka 4.3.1."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import pytest

from broker.common.errors import ApiError
from broker.config import Config
from broker.coordinators.coordinator_record import CoordinatorRecord, InconsistentRecord, RawRecord
from broker.groups.group_states import GroupStates
from broker.groups.records.classic import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from broker.groups.records.consumer import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
    CurrentTopicPartitions,
)
from broker.groups.records.offsets import OffsetCommitKey, OffsetCommitValue
from broker.groups.records.serde import GROUP_RECORDS
from broker.groups.records.share import ShareGroupMetadataKey, ShareGroupMetadataValue
from broker.groups.records.streams import (
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupCurrentMemberAssignmentValue,
    StreamsGroupMemberMetadataKey,
    StreamsGroupMemberMetadataValue,
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupTargetAssignmentMemberValue,
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTargetAssignmentMetadataValue,
    StreamsGroupTopologyKey,
    StreamsGroupTopologyValue,
)
from protocol.consumer_protocol import ConsumerProtocolSubscription, write_subscription
from protocol.errors import ErrorCode
from tests.broker.groups.virtual_world import VirtualWorld

INT32_MAX = 2**31 - 1
SUBSCRIPTION = write_subscription(ConsumerProtocolSubscription(topics=["t"]), 1)


def classic_member(member_id: str, instance: str | None = None) -> MemberMetadata:
    return MemberMetadata(
        member_id=member_id,
        group_instance_id=instance,
        client_id="c",
        client_host="/h",
        rebalance_timeout=10_000,
        session_timeout=10_000,
        subscription=SUBSCRIPTION,
        assignment=b"",
    )


def generation(
    *members: MemberMetadata,
    number: int = 3,
    protocol: str | None = "range",
    leader: str | None = "a",
) -> CoordinatorRecord:
    value = GroupMetadataValue(
        protocol_type="consumer",
        generation=number,
        protocol=protocol,
        leader=leader,
        members=list(members),
    )
    return CoordinatorRecord(GroupMetadataKey(group="g"), value)


def epoch(number: int = 3) -> CoordinatorRecord:
    return CoordinatorRecord(
        ConsumerGroupMetadataKey(group_id="g"), ConsumerGroupMetadataValue(epoch=number)
    )


def member(member_id: str = "m", instance: str | None = None) -> CoordinatorRecord:
    key = ConsumerGroupMemberMetadataKey(group_id="g", member_id=member_id)
    value = ConsumerGroupMemberMetadataValue(
        instance_id=instance,
        rack_id=None,
        client_id="c",
        client_host="/h",
        subscribed_topic_names=["t"],
        subscribed_topic_regex=None,
        server_assignor=None,
    )
    return CoordinatorRecord(key, value)


def has(member_id: str = "m", *partitions: int, at: int = 3) -> CoordinatorRecord:
    key = ConsumerGroupCurrentMemberAssignmentKey(group_id="g", member_id=member_id)
    owned = [CurrentTopicPartitions(topic_id=UUID(int=1), partitions=list(partitions))]
    value = ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=at,
        previous_member_epoch=at,
        state=0,
        assigned_partitions=owned if partitions else [],
        partitions_pending_revocation=[],
    )
    return CoordinatorRecord(key, value)


def target(member_id: str = "m") -> CoordinatorRecord:
    key = ConsumerGroupTargetAssignmentMemberKey(group_id="g", member_id=member_id)
    return CoordinatorRecord(key, ConsumerGroupTargetAssignmentMemberValue(topic_partitions=[]))


def target_epoch(number: int = 3) -> CoordinatorRecord:
    key = ConsumerGroupTargetAssignmentMetadataKey(group_id="g")
    return CoordinatorRecord(
        key, ConsumerGroupTargetAssignmentMetadataValue(assignment_epoch=number)
    )


def gone(record: CoordinatorRecord) -> CoordinatorRecord:
    """The tombstone of *record*."""
    return CoordinatorRecord(record.key)


A_CONSUMER_GROUP = [epoch(), member(), target_epoch(), target(), has()]
AN_OFFSET = CoordinatorRecord(
    OffsetCommitKey(group="g", topic="t", partition=-5),
    OffsetCommitValue(offset=-9, metadata="", commit_timestamp=-7),
)


A_SHARE_GROUP = [
    CoordinatorRecord(
        ShareGroupMetadataKey(group_id="g"), ShareGroupMetadataValue(epoch=3, metadata_hash=0)
    )
]

STREAMS_EPOCH = CoordinatorRecord(
    StreamsGroupMetadataKey(group_id="g"),
    StreamsGroupMetadataValue(epoch=3, metadata_hash=0, validated_topology_epoch=0),
)
STREAMS_TOPOLOGY = CoordinatorRecord(
    StreamsGroupTopologyKey(group_id="g"), StreamsGroupTopologyValue(epoch=0, subtopologies=[])
)
STREAMS_MEMBER = CoordinatorRecord(
    StreamsGroupMemberMetadataKey(group_id="g", member_id="m"),
    StreamsGroupMemberMetadataValue(
        instance_id=None,
        rack_id=None,
        client_id="c",
        client_host="/h",
        rebalance_timeout_ms=1000,
        topology_epoch=0,
        process_id="p",
        user_endpoint=None,
        client_tags=[],
    ),
)
STREAMS_TARGET_EPOCH = CoordinatorRecord(
    StreamsGroupTargetAssignmentMetadataKey(group_id="g"),
    StreamsGroupTargetAssignmentMetadataValue(assignment_epoch=3, assignment_timestamp=7),
)
STREAMS_TARGET = CoordinatorRecord(
    StreamsGroupTargetAssignmentMemberKey(group_id="g", member_id="m"),
    StreamsGroupTargetAssignmentMemberValue(active_tasks=[], standby_tasks=[], warmup_tasks=[]),
)
STREAMS_ASSIGNMENT = CoordinatorRecord(
    StreamsGroupCurrentMemberAssignmentKey(group_id="g", member_id="m"),
    StreamsGroupCurrentMemberAssignmentValue(
        member_epoch=3,
        previous_member_epoch=2,
        state=1,
        active_tasks=[],
        standby_tasks=[],
        warmup_tasks=[],
        active_tasks_pending_revocation=[],
        standby_tasks_pending_revocation=[],
        warmup_tasks_pending_revocation=[],
    ),
)
A_STREAMS_GROUP = [
    STREAMS_MEMBER,
    STREAMS_TOPOLOGY,
    STREAMS_EPOCH,
    STREAMS_TARGET,
    STREAMS_TARGET_EPOCH,
    STREAMS_ASSIGNMENT,
]
STREAMS_DEPARTURE = [gone(each) for each in (STREAMS_ASSIGNMENT, STREAMS_TARGET, STREAMS_MEMBER)]
STREAMS_DELETION = [gone(each) for each in (STREAMS_TARGET_EPOCH, STREAMS_EPOCH, STREAMS_TOPOLOGY)]


def loaded(records: Sequence[CoordinatorRecord]) -> GroupStates:
    states = GroupStates()
    for record in records:
        states.load(GROUP_RECORDS.serialize(record), 0)
    return states


@pytest.mark.parametrize(
    ("records", "state"),
    [
        ([generation(classic_member("a"), classic_member("a"))], "Stable"),
        ([generation(classic_member("a"), leader="absent")], "Stable"),
        ([generation(classic_member("a"), leader=None)], "Stable"),
        ([generation(classic_member("a"), protocol=None)], "Stable"),
        ([generation(leader=None, protocol=None, number=INT32_MAX)], "Empty"),
        ([member()], "Reconciling"),
        ([epoch(), has()], "Assigning"),
        ([has()], "Reconciling"),
        ([target()], "Empty"),
        ([target_epoch()], "Empty"),
        ([gone(each) for each in (has(), target(), member(), target_epoch(), epoch())], None),
        ([epoch(9), member(), has(at=9), epoch(3), target_epoch(3), has(at=2)], "Reconciling"),
        ([epoch(), member("m", "i"), member("n", "i")], "Assigning"),
        ([epoch(), member(), generation(classic_member("a"))], "Stable"),
        ([epoch(INT32_MAX), target_epoch(INT32_MAX)], "Empty"),
        ([AN_OFFSET], "Empty"),
        ([AN_OFFSET, epoch()], "Empty"),
        ([*A_CONSUMER_GROUP, gone(generation())], None),
        (A_STREAMS_GROUP, "Stable"),
        (A_STREAMS_GROUP[::-1], "Stable"),
        ([STREAMS_MEMBER], "NotReady"),
        ([STREAMS_EPOCH, STREAMS_TOPOLOGY, STREAMS_ASSIGNMENT], "Assigning"),
        ([STREAMS_TARGET], "Empty"),
        (STREAMS_DEPARTURE + STREAMS_DELETION, None),
        ([*A_STREAMS_GROUP, *STREAMS_DEPARTURE, *STREAMS_DELETION], None),
        ([AN_OFFSET, *A_STREAMS_GROUP], "Stable"),
        ([*A_STREAMS_GROUP, AN_OFFSET], "Stable"),
        ([*A_STREAMS_GROUP, *STREAMS_DEPARTURE, *STREAMS_DELETION, generation()], "Empty"),
        ([gone(generation()), *A_STREAMS_GROUP], "Stable"),
    ],
)
def test_logs_that_kafka_loads_are_loaded(
    records: list[CoordinatorRecord], state: str | None
) -> None:
    """Records may be missing, repeated or out of order; numbers may have any value."""
    group = loaded(records).groups.get("g")

    assert (None if group is None else group.state_name) == state


@pytest.mark.parametrize(
    "records",
    [
        [generation(classic_member("a", "i"), classic_member("b", "i"))],
        [*A_CONSUMER_GROUP, gone(member())],
        [*A_CONSUMER_GROUP, gone(has()), gone(member())],
        [epoch(), member(), gone(epoch())],
        [epoch(), target(), gone(epoch())],
        [*A_CONSUMER_GROUP, gone(target_epoch())],
        [epoch(), member(), member("n"), has("m", 0), has("n", 0)],
        [generation(classic_member("a")), member()],
        [generation(leader=None, protocol=None), epoch()],
        [generation(classic_member("a")), gone(epoch())],
        [generation(classic_member("a")), STREAMS_MEMBER],
        [generation(classic_member("a")), gone(STREAMS_EPOCH)],
        [*A_STREAMS_GROUP, gone(STREAMS_MEMBER)],
        [*A_STREAMS_GROUP, gone(STREAMS_TARGET_EPOCH)],
        [*A_STREAMS_GROUP, *STREAMS_DEPARTURE, gone(STREAMS_EPOCH)],
        [*A_STREAMS_GROUP, epoch()],
        [*A_STREAMS_GROUP, gone(epoch())],
        [*A_CONSUMER_GROUP, STREAMS_EPOCH],
        [*A_CONSUMER_GROUP, gone(STREAMS_EPOCH)],
        [*A_SHARE_GROUP, epoch()],
        [*A_SHARE_GROUP, STREAMS_EPOCH],
        [*A_STREAMS_GROUP, *A_SHARE_GROUP],
    ],
)
def test_inconsistent_logs_fail_the_load(records: list[CoordinatorRecord]) -> None:
    """Kafka throws IllegalStateException, and the partition is not loaded."""
    with pytest.raises(InconsistentRecord):
        loaded(records)


@pytest.mark.parametrize(
    "bad",
    [
        GROUP_RECORDS.serialize(generation(classic_member("a", "i"), classic_member("b", "i"))),
        RawRecord(GROUP_RECORDS.serialize(generation()).key, b"\x00\x63"),
        RawRecord(b"", None),
    ],
    ids=["contradiction", "version", "empty"],
)
def test_a_partition_that_cannot_be_loaded_fails_alone(
    bad: RawRecord, caplog: pytest.LogCaptureFixture
) -> None:
    """Its groups have no coordinator, the others continue, and the offset is logged."""
    world = VirtualWorld(Config(offsets_topic_num_partitions=8))
    partition = world.coordinator.runtime.partition_for("g")
    world.logs[partition].append([GROUP_RECORDS.serialize(AN_OFFSET), bad])
    world.restart()

    with pytest.raises(ApiError) as refused:
        world.coordinator.group("g")
    assert refused.value.code is ErrorCode.NOT_COORDINATOR
    others = [f"g{number}" for number in range(50)]
    here = [each for each in others if world.coordinator.runtime.partition_for(each) != partition]
    for each in here:
        world.coordinator.runtime.check(each)
    (line,) = [each.getMessage() for each in caplog.records if each.levelname == "ERROR"]
    assert f"partition {partition} of __consumer_offsets cannot be loaded" in line
    assert "offset 1" in line
    assert not any(each.exc_info for each in caplog.records)
