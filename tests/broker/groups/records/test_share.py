"""Records of share groups, as Apache Kafka 4.3.1 wrote them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from broker.coordinators.coordinator_record import RawRecord
from broker.groups.records.share import (
    AssignedPartitions,
    ShareGroupCurrentMemberAssignmentKey,
    ShareGroupCurrentMemberAssignmentValue,
    ShareGroupMemberMetadataKey,
    ShareGroupMemberMetadataValue,
    ShareGroupMetadataKey,
    ShareGroupMetadataValue,
    ShareGroupStatePartitionMetadataKey,
    ShareGroupStatePartitionMetadataValue,
    ShareGroupTargetAssignmentMemberKey,
    ShareGroupTargetAssignmentMemberValue,
    ShareGroupTargetAssignmentMetadataKey,
    ShareGroupTargetAssignmentMetadataValue,
    TopicPartitionsInfo,
)
from tests.broker.groups.records.golden import assert_written_as

T_ID = UUID("28eba07e-ccd4-4a6a-a423-1e62ed315b5e")
TWO_PARTITIONS = b"\x03\x00\x00\x00\x00\x00\x00\x00\x01"

WRITTEN_BY_KAFKA: dict[str, tuple[RawRecord, Any, Any]] = {
    "a member": (
        RawRecord(
            b"\x00\n\x00\x02g1\x00\x08member-a",
            b"\x00\x00\x03r1\x06probe\x0b/127.0.0.1\x02\x02t\x00",
        ),
        ShareGroupMemberMetadataKey(group_id="g1", member_id="member-a"),
        ShareGroupMemberMetadataValue(
            rack_id="r1",
            client_id="probe",
            client_host="/127.0.0.1",
            subscribed_topic_names=["t"],
        ),
    ),
    "the group's epoch": (
        RawRecord(b"\x00\x0b\x00\x02g1", b"\x00\x00\x00\x00\x00\x02\x94\x99\xb7\xf8!\xc1\xdcB\x00"),
        ShareGroupMetadataKey(group_id="g1"),
        ShareGroupMetadataValue(epoch=2, metadata_hash=-7738952208313361342),
    ),
    "the epoch of the target assignment": (
        RawRecord(
            b"\x00\x0c\x00\x02g1",
            b"\x00\x00\x00\x00\x00\x02\x01\x00\x08\x00\x00\x01\xa2\x07<\xdd\x04",
        ),
        ShareGroupTargetAssignmentMetadataKey(group_id="g1"),
        ShareGroupTargetAssignmentMetadataValue(
            assignment_epoch=2, assignment_timestamp=1_795_417_758_980
        ),
    ),
    "an empty target assignment": (
        RawRecord(b"\x00\r\x00\x02g1\x00\x08member-a", b"\x00\x00\x01\x00"),
        ShareGroupTargetAssignmentMemberKey(group_id="g1", member_id="member-a"),
        ShareGroupTargetAssignmentMemberValue(topic_partitions=[]),
    ),
    "the target assignment of a member": (
        RawRecord(
            b"\x00\r\x00\x02g1\x00\x08member-a",
            b"\x00\x00\x02" + T_ID.bytes + TWO_PARTITIONS + b"\x00\x00",
        ),
        ShareGroupTargetAssignmentMemberKey(group_id="g1", member_id="member-a"),
        ShareGroupTargetAssignmentMemberValue(
            topic_partitions=[AssignedPartitions(topic_id=T_ID, partitions=[0, 1])]
        ),
    ),
    "the current assignment of a member": (
        RawRecord(
            b"\x00\x0e\x00\x02g1\x00\x08member-a",
            b"\x00\x00\x00\x00\x00\x03\x00\x00\x00\x02\x00\x02"
            + T_ID.bytes
            + TWO_PARTITIONS
            + b"\x00\x00",
        ),
        ShareGroupCurrentMemberAssignmentKey(group_id="g1", member_id="member-a"),
        ShareGroupCurrentMemberAssignmentValue(
            member_epoch=3,
            previous_member_epoch=2,
            state=0,
            assigned_partitions=[AssignedPartitions(topic_id=T_ID, partitions=[0, 1])],
        ),
    ),
    "partitions that are being initialized": (
        RawRecord(
            b"\x00\x0f\x00\x02g1",
            b"\x00\x00\x02" + T_ID.bytes + b"\x02t" + TWO_PARTITIONS + b"\x00\x01\x01\x00",
        ),
        ShareGroupStatePartitionMetadataKey(group_id="g1"),
        ShareGroupStatePartitionMetadataValue(
            initializing_topics=[
                TopicPartitionsInfo(topic_id=T_ID, topic_name="t", partitions=[0, 1])
            ],
            initialized_topics=[],
            deleting_topics=[],
        ),
    ),
    "initialized partitions": (
        RawRecord(
            b"\x00\x0f\x00\x02g1",
            b"\x00\x00\x01\x02" + T_ID.bytes + b"\x02t" + TWO_PARTITIONS + b"\x00\x01\x00",
        ),
        ShareGroupStatePartitionMetadataKey(group_id="g1"),
        ShareGroupStatePartitionMetadataValue(
            initializing_topics=[],
            initialized_topics=[
                TopicPartitionsInfo(topic_id=T_ID, topic_name="t", partitions=[0, 1])
            ],
            deleting_topics=[],
        ),
    ),
    "a member that has left": (
        RawRecord(b"\x00\n\x00\x02g1\x00\x08member-a", None),
        ShareGroupMemberMetadataKey(group_id="g1", member_id="member-a"),
        None,
    ),
}


@pytest.mark.parametrize("what", WRITTEN_BY_KAFKA)
def test_records_of_share_groups(what: str) -> None:
    """The bytes are equal in both directions."""
    raw, key, value = WRITTEN_BY_KAFKA[what]
    assert_written_as(raw, key, value)
