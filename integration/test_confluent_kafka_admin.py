"""librdkafka's admin client: settings, records, leaders and groups."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ElectionType,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # imported from here by its users
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourceType,
)


@pytest.fixture
def admin(bootstrap: str, topic: str) -> AdminClient:
    """An admin client that has created the test's topic with one record."""
    client = AdminClient({"bootstrap.servers": bootstrap})
    client.create_topics([NewTopic(topic, 1, 1)])[topic].result(60)
    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce(topic, b"a record")
    producer.flush()
    return client


def _changed(topic: str, key: str, value: str, operation: AlterConfigOpType) -> ConfigResource:
    entry = ConfigEntry(key, value, incremental_operation=operation)
    return ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])


def test_settings_are_altered(admin: AdminClient, topic: str) -> None:
    """IncrementalAlterConfigs sets and appends; DescribeConfigs returns the defaults as well."""
    for change in (
        _changed(topic, "retention.ms", "7", AlterConfigOpType.SET),
        _changed(topic, "cleanup.policy", "compact", AlterConfigOpType.APPEND),
    ):
        admin.incremental_alter_configs([change])[change].result(60)

    requested = ConfigResource(ResourceType.TOPIC, topic)
    described = admin.describe_configs([requested])[requested].result(60)
    assert described["retention.ms"].value == "7"
    assert "log.cleanup.policy" in described["cleanup.policy"].synonyms
    assert described["cleanup.policy"].value == "delete,compact"


@pytest.mark.parametrize(("key", "value"), [("no.such.key", "1"), ("retention.ms", "long")])
def test_invalid_settings_are_rejected(
    admin: AdminClient, topic: str, key: str, value: str
) -> None:
    """An unknown key and an invalid value are INVALID_CONFIG, and change nothing."""
    change = _changed(topic, key, value, AlterConfigOpType.SET)

    with pytest.raises(KafkaException) as refused:
        admin.incremental_alter_configs([change])[change].result(60)

    assert refused.value.args[0].code() == KafkaError.INVALID_CONFIG


def test_records_are_deleted(admin: AdminClient, topic: str) -> None:
    """DeleteRecords returns the new log start offset."""
    partition = TopicPartition(topic, 0, 1)

    assert admin.delete_records([partition])[partition].result(60).low_watermark == 1


def test_an_election_of_the_present_leader(admin: AdminClient, topic: str) -> None:
    """ElectLeaders reports that no election is needed."""
    partition = TopicPartition(topic, 0)

    elected = admin.elect_leaders(ElectionType.PREFERRED, [partition]).result(60)

    assert elected[partition].code() == KafkaError.ELECTION_NOT_NEEDED


def test_a_group_is_altered_listed_described_and_deleted(
    admin: AdminClient, topic: str, group: str
) -> None:
    """Offsets are altered and read; the group is listed, described and deleted."""
    offsets = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0, 1)])
    requested: Any = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0)])

    admin.alter_consumer_group_offsets([offsets])[group].result(60)

    read = admin.list_consumer_group_offsets([requested])[group].result(60)
    listed = admin.list_consumer_groups(states={ConsumerGroupState.EMPTY}).result(60)
    described = admin.describe_consumer_groups([group])[group].result(60)
    assert [each.offset for each in read.topic_partitions] == [1]
    assert group in [each.group_id for each in listed.valid]
    assert described.state is ConsumerGroupState.EMPTY
    admin.delete_consumer_groups([group])[group].result(60)
    assert group not in [each.group_id for each in admin.list_consumer_groups().result(60).valid]
