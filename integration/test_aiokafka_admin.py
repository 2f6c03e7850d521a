"""aiokafka's admin client, which has the oldest protocol versions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """aiokafka supports only asyncio."""
    return "asyncio"


@pytest.fixture
async def admin(bootstrap: str, topic: str) -> AsyncIterator[Any]:
    """An admin client that has created the test's topic."""
    client = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await client.start()
    await client.create_topics([NewTopic(topic, 1, 1)])
    yield client
    await client.close()


async def test_settings_are_replaced(admin: Any, topic: str) -> None:
    """AlterConfigs resets keys that it does not name."""
    for configs in ({"retention.ms": "7"}, {"max.message.bytes": "5000"}):
        await admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, configs)])

    (response,) = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
    settings = {entry[0]: entry[1] for entry in response.resources[0][4]}
    assert (settings["retention.ms"], settings["max.message.bytes"]) == ("604800000", "5000")


async def test_records_are_deleted(admin: Any, bootstrap: str, topic: str) -> None:
    """DeleteRecords moves the log start offset."""
    async with AIOKafkaProducer(bootstrap_servers=bootstrap) as producer:
        await producer.send_and_wait(topic, b"a record", partition=0)
    partition = TopicPartition(topic, 0)

    await admin.delete_records({partition: RecordsToDelete(before_offset=1)})

    async with AIOKafkaConsumer(bootstrap_servers=bootstrap) as consumer:
        assert await consumer.beginning_offsets([partition]) == {partition: 1}


async def test_a_group_is_found_described_and_listed(
    admin: Any, bootstrap: str, topic: str, group: str
) -> None:
    """FindCoordinator, DescribeGroups, ListGroups and OffsetFetch."""
    settings = {"bootstrap_servers": bootstrap, "group_id": group}
    async with AIOKafkaConsumer(topic, **settings) as consumer:
        await consumer.commit({TopicPartition(topic, 0): 0})
        (described,) = await admin.describe_consumer_groups([group])

    assert await admin.find_coordinator(group) == 1
    assert described.groups[0][1:4] == (group, "Stable", "consumer")
    assert (group, "consumer") in await admin.list_consumer_groups()
    offsets = await admin.list_consumer_group_offsets(group)
    assert offsets[TopicPartition(topic, 0)].offset == 0
