"""kafka-python's admin client, which has most of the administrative requests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from integration.wire.groups import wait_for_coordinator

with warnings.catch_warnings():
    # kafka-python 3.0 reads its schemas through importlib.resources.read_text
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaAdminClient, KafkaProducer, TopicPartition
    from kafka.admin import ConfigResource, ConfigResourceType, NewTopic
    from kafka.errors import ElectionNotNeededError, GroupIdNotFoundError
    from kafka.protocol.admin.topics import ElectionType
    from kafka.structs import OffsetAndMetadata


@pytest.fixture
def admin(bootstrap: str) -> Iterator[Any]:
    """An admin client."""
    client = KafkaAdminClient(bootstrap_servers=bootstrap)
    yield client
    client.close()


@pytest.fixture
def one_record(admin: Any, bootstrap: str, topic: str) -> TopicPartition:
    """The partition of a topic with one record of an idempotent producer."""
    admin.create_topics([NewTopic(topic, 1, 1)], wait_for_metadata=True)
    producer = KafkaProducer(bootstrap_servers=bootstrap, enable_idempotence=True)
    producer.send(topic, b"a record").get(60)
    producer.close()
    return TopicPartition(topic, 0)


def test_settings_are_altered_and_reset(admin: Any, one_record: TopicPartition) -> None:
    """IncrementalAlterConfigs sets and deletes; only keys that are set are returned."""
    changed = ConfigResource(ConfigResourceType.TOPIC, one_record.topic, {"retention.ms": "7"})

    def settings() -> dict[str, str]:
        described = admin.describe_configs([ConfigResource("topic", one_record.topic)])
        entries = described["topic"][one_record.topic]
        return {key: entry["value"] for key, entry in entries.items()}

    admin.alter_configs([changed])
    assert settings() == {"retention.ms": "7"}
    admin.reset_configs([changed])
    assert settings() == {}
    assert one_record.topic in admin.list_config_resources()["topic"]


def test_a_partition_is_described_in_pages(admin: Any, one_record: TopicPartition) -> None:
    """DescribeTopicPartitions with a page size."""
    (topic,) = admin.describe_topic_partitions([one_record.topic])["topics"]

    assert topic["name"] == one_record.topic
    assert [each["leader_id"] for each in topic["partitions"]] == [1]


def test_log_directories_are_described_and_not_changed(
    admin: Any, one_record: TopicPartition
) -> None:
    """DescribeLogDirs returns the partition's directory; AlterReplicaLogDirs does not change it."""

    def directories() -> list[Any]:
        (node,) = admin.describe_log_dirs([one_record.topic])
        return [
            (each["log_dir"], [topic["name"] for topic in each["topics"]])
            for each in node["log_dirs"]
        ]

    ((directory, topics),) = directories()
    assert topics == [one_record.topic]
    admin.alter_replica_log_dirs({(*one_record, 1): directory})
    assert directories() == [(directory, topics)]


def test_producers_are_described(admin: Any, one_record: TopicPartition) -> None:
    """DescribeProducers returns one producer with its first batch."""
    (producer,) = admin.describe_producers([one_record])[one_record].active_producers

    assert (producer.producer_epoch, producer.last_sequence) == (0, 0)


def test_the_quorum_and_the_features_are_described(admin: Any) -> None:
    """DescribeQuorum, the features in ApiVersions, and UpdateFeatures without changes."""
    (topic,) = admin.describe_metadata_quorum()["topics"]
    features = admin.describe_features()

    assert topic["topic_name"] == "__cluster_metadata"
    assert [each["leader_id"] for each in topic["partitions"]] == [1]
    assert features["metadata.version"]["finalized"] == (30, 30)
    assert admin.update_features({}) == {}


def test_a_reassignment_and_an_election_without_effect(
    admin: Any, one_record: TopicPartition
) -> None:
    """AlterPartitionReassignments, ListPartitionReassignments and ElectLeaders."""
    assert admin.alter_partition_reassignments({one_record: [1]}) == {one_record: None}
    assert admin.list_partition_reassignments([one_record]) == {}

    elected = admin.elect_leaders(ElectionType.PREFERRED, {one_record.topic: [0]})
    ((result,),) = [each.partition_result for each in elected.replica_election_results]
    assert result.error_code == ElectionNotNeededError.errno


def test_a_groups_offsets(
    admin: Any, bootstrap: str, one_record: TopicPartition, group: str
) -> None:
    """Offsets are altered, read and deleted, and the group is deleted."""
    wait_for_coordinator(bootstrap, group)
    admin.alter_group_offsets(group, {one_record: OffsetAndMetadata(1, "", -1)})

    assert group in [each["group_id"] for each in admin.list_groups()]
    assert admin.describe_groups([group])[group]["group_state"] == "Empty"
    assert admin.list_group_offsets(group)[group][one_record].offset == 1
    admin.delete_group_offsets(group, [one_record])
    assert admin.list_group_offsets(group)[group] == {}
    with pytest.raises(GroupIdNotFoundError):
        admin.delete_group_offsets("absent", [one_record])
    admin.delete_groups([group])


def test_records_are_deleted(admin: Any, one_record: TopicPartition) -> None:
    """DeleteRecords returns the new log start offset."""
    assert admin.delete_records({one_record: 1})[one_record]["low_watermark"] == 1
