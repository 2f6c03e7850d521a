"""Records of streams groups, as Apache Kafka 4.3.1 wrote them."""

from __future__ import annotations

from typing import Any

import pytest

from broker.coordinators.coordinator_record import RawRecord
from broker.groups.records.streams import (
    ClientTag,
    CopartitionGroup,
    CurrentTasks,
    Endpoint,
    LastAssignmentConfig,
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
    Subtopology,
    TargetTasks,
    TopicConfig,
    TopicInfo,
)
from tests.broker.groups.records.golden import assert_written_as

NO_STANDBY = [LastAssignmentConfig(key="num.standby.replicas", value="0")]
NO_STANDBY_BYTES = b"\x01\x19\x02\x15num.standby.replicas\x020\x00"
A_KEY = b"\x00\x02gw\x00\x02ma"
B_KEY = b"\x00\x02gw\x00\x02mb"

WRITTEN_BY_KAFKA: dict[str, tuple[RawRecord, Any, Any]] = {
    "a member": (
        RawRecord(
            b"\x00\x13" + A_KEY,
            b"\x00\x00\x00\x03r1\x06probe\x0b/127.0.0.1\x00\x00u0\x00\x00\x00\x00\x05p-ma"
            b"\x01\x02h\xc3P\x00\x02\x02k\x02v\x00\x00",
        ),
        StreamsGroupMemberMetadataKey(group_id="gw", member_id="ma"),
        StreamsGroupMemberMetadataValue(
            instance_id=None,
            rack_id="r1",
            client_id="probe",
            client_host="/127.0.0.1",
            rebalance_timeout_ms=30_000,
            topology_epoch=0,
            process_id="p-ma",
            user_endpoint=Endpoint(host="h", port=50_000),
            client_tags=[ClientTag(key="k", value="v")],
        ),
    ),
    "a member without rack, endpoint and tags": (
        RawRecord(
            b"\x00\x13" + B_KEY,
            b"\x00\x00\x00\x00\x06probe\x0b/127.0.0.1\x00\x00u0\x00\x00\x00\x00\x05p-mb\xff\x01\x00",
        ),
        StreamsGroupMemberMetadataKey(group_id="gw", member_id="mb"),
        StreamsGroupMemberMetadataValue(
            instance_id=None,
            rack_id=None,
            client_id="probe",
            client_host="/127.0.0.1",
            rebalance_timeout_ms=30_000,
            topology_epoch=0,
            process_id="p-mb",
            user_endpoint=None,
            client_tags=[],
        ),
    ),
    "the topology": (
        RawRecord(
            b"\x00\x17\x00\x02gw",
            b"\x00\x00\x00\x00\x00\x00\x02\x02s\x02\x02t\x01\x02\x05gw-c\x00\x00\x00\x00\x00\x00"
            b"\x02\x0fcleanup.policy\x08compact\x00\x00\x02\x05gw-r\x02\x05gw-r\x00\x00\x00\x02\x00"
            b"\x01\x01\x00\x02\x02\x00\x00\x01\x02\x00\x00\x00\x00\x00",
        ),
        StreamsGroupTopologyKey(group_id="gw"),
        StreamsGroupTopologyValue(
            epoch=0,
            subtopologies=[
                Subtopology(
                    subtopology_id="s",
                    source_topics=["t"],
                    source_topic_regex=[],
                    state_changelog_topics=[
                        TopicInfo(
                            name="gw-c",
                            partitions=0,
                            replication_factor=0,
                            topic_configs=[TopicConfig(key="cleanup.policy", value="compact")],
                        )
                    ],
                    repartition_sink_topics=["gw-r"],
                    repartition_source_topics=[
                        TopicInfo(name="gw-r", partitions=2, replication_factor=1, topic_configs=[])
                    ],
                    copartition_groups=[
                        CopartitionGroup(
                            source_topics=[0],
                            source_topic_regex=[],
                            repartition_source_topics=[0],
                        )
                    ],
                )
            ],
        ),
    ),
    "the group's epoch before its topics are validated": (
        RawRecord(
            b"\x00\x11\x00\x02gw",
            b"\x00\x00\x00\x00\x00\x02T\xbd\x95,-G\n\xaf\x01" + NO_STANDBY_BYTES,
        ),
        StreamsGroupMetadataKey(group_id="gw"),
        StreamsGroupMetadataValue(
            epoch=2,
            metadata_hash=6_106_200_686_754_990_767,
            validated_topology_epoch=-1,
            last_assignment_configs=NO_STANDBY,
        ),
    ),
    "the group's epoch": (
        RawRecord(
            b"\x00\x11\x00\x02gw",
            b"\x00\x00\x00\x00\x00\x03K\xf7\xf2N7\xe3\xf4r\x02\x00\x04\x00\x00\x00\x00"
            + NO_STANDBY_BYTES,
        ),
        StreamsGroupMetadataKey(group_id="gw"),
        StreamsGroupMetadataValue(
            epoch=3,
            metadata_hash=5_474_110_289_851_184_242,
            validated_topology_epoch=0,
            last_assignment_configs=NO_STANDBY,
        ),
    ),
    "the epoch of the target assignment": (
        RawRecord(
            b"\x00\x14\x00\x02gw",
            b"\x00\x00\x00\x00\x00\x03\x01\x00\x08\x00\x00\x01\xa2$C\xa4\x85",
        ),
        StreamsGroupTargetAssignmentMetadataKey(group_id="gw"),
        StreamsGroupTargetAssignmentMetadataValue(
            assignment_epoch=3, assignment_timestamp=1_795_904_742_533
        ),
    ),
    "the target assignment of a member": (
        RawRecord(
            b"\x00\x15" + A_KEY,
            b"\x00\x00\x02\x02s\x03\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x01\x00",
        ),
        StreamsGroupTargetAssignmentMemberKey(group_id="gw", member_id="ma"),
        StreamsGroupTargetAssignmentMemberValue(
            active_tasks=[TargetTasks(subtopology_id="s", partitions=[0, 1])],
            standby_tasks=[],
            warmup_tasks=[],
        ),
    ),
    "the current assignment of a new member": (
        RawRecord(
            b"\x00\x16" + A_KEY,
            b"\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x01\x01\x01\x01\x01\x01\x00",
        ),
        StreamsGroupCurrentMemberAssignmentKey(group_id="gw", member_id="ma"),
        StreamsGroupCurrentMemberAssignmentValue(
            member_epoch=1,
            previous_member_epoch=0,
            state=1,
            active_tasks=[],
            standby_tasks=[],
            warmup_tasks=[],
            active_tasks_pending_revocation=[],
            standby_tasks_pending_revocation=[],
            warmup_tasks_pending_revocation=[],
        ),
    ),
    "the current assignment of a member that has to revoke a task": (
        RawRecord(
            b"\x00\x16" + A_KEY,
            b"\x00\x00\x00\x00\x00\x03\x00\x00\x00\x03\x02\x02\x02s\x02\x00\x00\x00\x00\x01\x00\x05"
            b"\x02\x00\x00\x00\x03\x01\x01\x02\x02s\x02\x00\x00\x00\x01\x01\x00\x05"
            b"\x02\x00\x00\x00\x03\x01\x01\x00",
        ),
        StreamsGroupCurrentMemberAssignmentKey(group_id="gw", member_id="ma"),
        StreamsGroupCurrentMemberAssignmentValue(
            member_epoch=3,
            previous_member_epoch=3,
            state=2,
            active_tasks=[CurrentTasks(subtopology_id="s", partitions=[0], assignment_epochs=[3])],
            standby_tasks=[],
            warmup_tasks=[],
            active_tasks_pending_revocation=[
                CurrentTasks(subtopology_id="s", partitions=[1], assignment_epochs=[3])
            ],
            standby_tasks_pending_revocation=[],
            warmup_tasks_pending_revocation=[],
        ),
    ),
    "a member that has left": (
        RawRecord(b"\x00\x13" + A_KEY, None),
        StreamsGroupMemberMetadataKey(group_id="gw", member_id="ma"),
        None,
    ),
}


@pytest.mark.parametrize("what", WRITTEN_BY_KAFKA)
def test_records_of_streams_groups(what: str) -> None:
    """The bytes are equal in both directions."""
    raw, key, value = WRITTEN_BY_KAFKA[what]
    assert_written_as(raw, key, value)
