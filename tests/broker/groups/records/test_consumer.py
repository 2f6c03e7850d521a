"""Records of consumer groups, as Apache Kafka 4.3.1 wrote them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from broker.coordinators.coordinator_record import RawRecord
from broker.groups.records.consumer import (
    ClassicMemberMetadata,
    ClassicProtocol,
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
    CurrentTopicPartitions,
    TargetTopicPartitions,
)
from tests.broker.groups.records.golden import assert_written_as

T_ID = UUID("97a84971-24a4-47cb-8bac-adebab10f282")
U_ID = UUID("048da924-b2e9-43b3-9a93-52605c1c2512")

WRITTEN_BY_KAFKA: dict[str, tuple[RawRecord, Any, Any]] = {
    "the group's epoch": (
        RawRecord(
            b"\x00\x03\x00\x02g1", b"\x00\x00\x00\x00\x00\x02\x01\x00\x08\xf4*\x15Rp\xe3\x04\xd7"
        ),
        ConsumerGroupMetadataKey(group_id="g1"),
        ConsumerGroupMetadataValue(epoch=2, metadata_hash=-852845735607860009),
    ),
    "the epoch of a group without topics": (
        RawRecord(b"\x00\x03\x00\x02g1", b"\x00\x00\x00\x00\x00\x05\x00"),
        ConsumerGroupMetadataKey(group_id="g1"),
        ConsumerGroupMetadataValue(epoch=5),
    ),
    "the tombstone of the partition metadata": (
        RawRecord(b"\x00\x04\x00\x05c3655", None),
        ConsumerGroupPartitionMetadataKey(group_id="c3655"),
        None,
    ),
    "a regular expression": (
        RawRecord(
            b"\x00\x10\x00\x02g4\x00\x03t|u",
            b"\x00\x00\x03\x02t\x02u\x00\x00\x00\x00\x00\x00\x02\x10\x00\x00\x01\xa1\xfds\xddT\x00",
        ),
        ConsumerGroupRegularExpressionKey(group_id="g4", regular_expression="t|u"),
        ConsumerGroupRegularExpressionValue(
            topics=["t", "u"], version=528, timestamp=1_795_253_591_380
        ),
    ),
    "a static member": (
        RawRecord(
            b"\x00\x05\x00\x07stc3655\x00\x02x1",
            b"\x00\x00\x03i1\x03r1\x06probe\x0b/127.0.0.1\x03\x02t\x02u\x01\x00\x00\x13\x88"
            b"\x06range\x01\x00\x01\x00",
        ),
        ConsumerGroupMemberMetadataKey(group_id="stc3655", member_id="x1"),
        ConsumerGroupMemberMetadataValue(
            instance_id="i1",
            rack_id="r1",
            client_id="probe",
            client_host="/127.0.0.1",
            subscribed_topic_names=["t", "u"],
            subscribed_topic_regex="",
            rebalance_timeout_ms=5000,
            server_assignor="range",
        ),
    ),
    "a member that uses the classic protocol": (
        RawRecord(
            b"\x00\x05\x00\x05c3655\x00\x01m",
            b"\x00\x00\x00\x00\x06probe\x0b/127.0.0.1\x02\x02t\x01\x00\x00\x13\x88\x00\x01\x00 \x01"
            b"\x00\x00u0\x02\x06range\x12\x00\x01\x00\x00\x00\x01\x00\x01t\xff\xff\xff\xff"
            b"\x00\x00\x00\x00\x00\x00",
        ),
        ConsumerGroupMemberMetadataKey(group_id="c3655", member_id="m"),
        ConsumerGroupMemberMetadataValue(
            instance_id=None,
            rack_id=None,
            client_id="probe",
            client_host="/127.0.0.1",
            subscribed_topic_names=["t"],
            subscribed_topic_regex="",
            rebalance_timeout_ms=5000,
            server_assignor=None,
            classic_member_metadata=ClassicMemberMetadata(
                session_timeout_ms=30_000,
                supported_protocols=[
                    ClassicProtocol(
                        name="range",
                        metadata=b"\x00\x01\x00\x00\x00\x01\x00\x01t\xff\xff\xff\xff\x00\x00\x00\x00",
                    )
                ],
            ),
        ),
    ),
    "the epoch of the target assignment": (
        RawRecord(
            b"\x00\x06\x00\x02g1",
            b"\x00\x00\x00\x00\x00\x02\x01\x00\x08\x00\x00\x01\xa1\xfds\xdd\x1c",
        ),
        ConsumerGroupTargetAssignmentMetadataKey(group_id="g1"),
        ConsumerGroupTargetAssignmentMetadataValue(
            assignment_epoch=2, assignment_timestamp=1_795_253_591_324
        ),
    ),
    "the target assignment of a member": (
        RawRecord(
            b"\x00\x07\x00\x02g1\x00\x01a",
            b"\x00\x00\x02" + T_ID.bytes + b"\x03\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00",
        ),
        ConsumerGroupTargetAssignmentMemberKey(group_id="g1", member_id="a"),
        ConsumerGroupTargetAssignmentMemberValue(
            topic_partitions=[TargetTopicPartitions(topic_id=T_ID, partitions=[2, 3])]
        ),
    ),
    "the current assignment of a member": (
        RawRecord(
            b"\x00\x08\x00\x02g4\x00\x01a",
            b"\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x03"
            + T_ID.bytes
            + b"\x05\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03"
            b"\x01\x00\x11\x05\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x02"
            + U_ID.bytes
            + b"\x03\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\t\x03\x00\x00\x00\x02\x00\x00\x00\x02"
            b"\x01\x00",
        ),
        ConsumerGroupCurrentMemberAssignmentKey(group_id="g4", member_id="a"),
        ConsumerGroupCurrentMemberAssignmentValue(
            member_epoch=2,
            previous_member_epoch=1,
            state=0,
            assigned_partitions=[
                CurrentTopicPartitions(
                    topic_id=T_ID, partitions=[0, 1, 2, 3], assignment_epochs=[2, 2, 2, 2]
                ),
                CurrentTopicPartitions(topic_id=U_ID, partitions=[0, 1], assignment_epochs=[2, 2]),
            ],
            partitions_pending_revocation=[],
        ),
    ),
}


@pytest.mark.parametrize("what", WRITTEN_BY_KAFKA)
def test_records_of_consumer_groups(what: str) -> None:
    """The bytes are equal in both directions."""
    raw, key, value = WRITTEN_BY_KAFKA[what]
    assert_written_as(raw, key, value)
