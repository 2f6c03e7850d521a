"""aiokafka in typical use; it has the oldest protocol versions of the three clients."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import TopicAlreadyExistsError

from integration.machine.deadlines import eventually_async

pytestmark = pytest.mark.anyio

Make = Callable[..., Any]


@pytest.fixture
def anyio_backend() -> str:
    """aiokafka supports only asyncio."""
    return "asyncio"


@pytest.fixture
def make(bootstrap: str) -> Make:
    """A function that starts a client of a class in a context manager."""

    @asynccontextmanager
    async def build(client: Make, *arguments: Any, **settings: Any) -> AsyncIterator[Any]:
        built = client(*arguments, bootstrap_servers=bootstrap, **settings)
        await built.start()
        try:
            yield built
        finally:
            await (built.close() if isinstance(built, AIOKafkaAdminClient) else built.stop())

    return build


async def take(consumer: Any, count: int, *, within: float = 60.0) -> list[Any]:
    """Return that many records."""
    taken: list[Any] = []
    async with asyncio.timeout(within):
        while len(taken) < count:
            for records in (await consumer.getmany(timeout_ms=200)).values():
                taken.extend(records)
    return taken


async def read(make: Make, topic: str, count: int, **settings: Any) -> list[Any]:
    """Return the first records of partition 0, without a group."""
    async with make(AIOKafkaConsumer, **settings) as consumer:
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek(TopicPartition(topic, 0), 0)
        return await take(consumer, count, within=60)


async def create(make: Make, topic: str, partitions: int, **settings: Any) -> None:
    """Create a topic, and wait until it exists."""
    async with make(AIOKafkaAdminClient) as admin:
        await admin.create_topics([NewTopic(topic, partitions, 1, **settings)])
        await eventually_async(lambda: _listed(admin, topic), "the topic exists")


async def _listed(admin: Any, topic: str) -> bool:
    return topic in await admin.list_topics()


async def test_what_is_produced_is_consumed_in_order(make: Make, topic: str) -> None:
    """Keys, values, nulls and headers are returned as sent, at the acknowledged offsets."""
    sent = [
        (b"key", b"value", (("trace", b"1"), ("empty", b""))),
        (None, b"no key", ()),
        (b"tombstone", None, ()),
    ]
    async with make(AIOKafkaProducer) as producer:
        promised = [
            (await producer.send_and_wait(topic, value, key, 0, headers=list(headers))).offset
            for key, value, headers in sent
        ]
    records = await read(make, topic, 3)
    assert promised == [record.offset for record in records] == [0, 1, 2]
    assert [(r.key, r.value, r.headers) for r in records] == sent


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
async def test_a_compressed_batch_is_returned_unchanged(make: Make, topic: str, codec: str) -> None:
    """Each codec that aiokafka supports is stored and read."""
    values = [b"%d " % i * 50 for i in range(200)]
    async with make(AIOKafkaProducer, compression_type=codec, linger_ms=20) as producer:
        await asyncio.gather(*[await producer.send(topic, value, partition=0) for value in values])
    assert [record.value for record in await read(make, topic, 200)] == values


async def test_ten_thousand_small_records(make: Make, topic: str) -> None:
    """No record of an idempotent producer is lost, duplicated or reordered."""
    values = [b"%d" % i for i in range(10_000)]
    async with make(AIOKafkaProducer, enable_idempotence=True, linger_ms=5) as producer:
        await asyncio.gather(*[await producer.send(topic, value, partition=0) for value in values])
    assert [record.value for record in await read(make, topic, 10_000)] == values


async def test_a_record_of_almost_one_mebibyte(make: Make, topic: str) -> None:
    """The largest record the default max.message.bytes allows."""
    value = bytes(range(256)) * 4000
    async with make(AIOKafkaProducer, max_request_size=2 << 20) as producer:
        await producer.send_and_wait(topic, value, partition=0)
    assert (await read(make, topic, 1))[0].value == value


async def test_acks_of_every_kind(make: Make, topic: str) -> None:
    """With acks 0, 1 and all the records are appended in order."""
    for landed, acks in enumerate((0, 1, "all"), start=1):
        async with make(AIOKafkaProducer, acks=acks) as producer:
            await producer.send_and_wait(topic, str(acks).encode(), partition=0)
        records = await read(make, topic, landed)  # with acks=0, wait until it is appended
    assert [record.value for record in records] == [b"0", b"1", b"all"]


async def test_a_fetch_waits_its_max_wait_for_min_bytes(make: Make, topic: str) -> None:
    """A fetch with too little data ends at max_wait, and not before."""
    async with make(AIOKafkaProducer) as producer:
        await producer.send_and_wait(topic, b"little", partition=0)
    started = time.monotonic()
    records = await read(make, topic, 1, fetch_min_bytes=100_000, fetch_max_wait_ms=700)
    assert records[0].value == b"little"
    assert time.monotonic() - started > 0.65


async def test_a_produce_wakes_a_waiting_consumer(make: Make, topic: str) -> None:
    """A long poll ends with the record, as its max_wait is longer than the test waits."""
    async with AsyncExitStack() as clients:
        producer = await clients.enter_async_context(make(AIOKafkaProducer))
        await producer.send_and_wait(topic, b"first", partition=0)
        consumer = await clients.enter_async_context(
            make(AIOKafkaConsumer, fetch_max_wait_ms=120_000, request_timeout_ms=180_000)
        )
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek(TopicPartition(topic, 0), 0)
        await take(consumer, 1)
        await consumer.getmany(timeout_ms=300)  # leaves a fetch parked at the broker
        await producer.send_and_wait(topic, b"second", partition=0)
        assert (await take(consumer, 1))[0].value == b"second"


async def test_a_group_of_two_rebalances(make: Make, topic: str, group: str) -> None:
    """A second member gets one partition; when it leaves, the first gets it back."""
    await create(make, topic, 2)
    both = {TopicPartition(topic, i) for i in (0, 1)}
    settings = {"group_id": group, "heartbeat_interval_ms": 200, "session_timeout_ms": 6000}
    async with make(AIOKafkaConsumer, topic, **settings) as first:

        async def has_all() -> bool:
            return bool(first.assignment() == both)

        await eventually_async(has_all, "all to one")
        async with make(AIOKafkaConsumer, topic, **settings) as second:

            async def shared() -> bool:
                return len(first.assignment()) == len(second.assignment()) == 1

            await eventually_async(shared, "one partition each")
            assert first.assignment() | second.assignment() == both
        await eventually_async(has_all, "all back")


async def test_a_static_member_returns_to_its_partition(make: Make, topic: str, group: str) -> None:
    """During its absence (KIP-345) the other member keeps its own partition."""
    await create(make, topic, 2)
    settings = {"group_id": group, "heartbeat_interval_ms": 200, "session_timeout_ms": 6000}
    async with make(AIOKafkaConsumer, topic, group_instance_id="i1", **settings) as stays:
        async with make(AIOKafkaConsumer, topic, group_instance_id="i2", **settings) as goes:

            async def shared() -> bool:
                return len(stays.assignment()) == len(goes.assignment()) == 1

            await eventually_async(shared, "one partition each")
            its, others = goes.assignment(), stays.assignment()
        async with make(AIOKafkaConsumer, topic, group_instance_id="i2", **settings) as back:

            async def returned() -> bool:
                return bool(back.assignment() == its)

            await eventually_async(returned, "its partition")
            assert stays.assignment() == others


async def test_committed_offsets_outlive_their_consumer(make: Make, topic: str, group: str) -> None:
    """A new consumer of the group continues at the committed offset."""
    async with make(AIOKafkaProducer) as producer:
        for i in range(6):
            await producer.send_and_wait(topic, b"%d" % i, partition=0)
    settings = {"group_id": group, "auto_offset_reset": "earliest", "enable_auto_commit": False}
    async with make(AIOKafkaConsumer, topic, max_poll_records=4, **settings) as first:
        assert len(await take(first, 4)) == 4
        await first.commit({TopicPartition(topic, 0): 4})
    async with make(AIOKafkaConsumer, topic, **settings) as second:
        assert [record.value for record in await take(second, 2)] == [b"4", b"5"]
        assert await second.committed(TopicPartition(topic, 0)) == 4


async def test_offsets_by_timestamp_and_at_both_ends(make: Make, topic: str) -> None:
    """The first record at or after a time is found; both ends are exact."""
    async with make(AIOKafkaProducer) as producer:
        for timestamp in (1_000, 2_000, 3_000):
            await producer.send_and_wait(topic, b"x", partition=0, timestamp_ms=timestamp)
    partition = TopicPartition(topic, 0)
    async with make(AIOKafkaConsumer) as consumer:
        consumer.assign([partition])
        found = (await consumer.offsets_for_times({partition: 1_500}))[partition]
        assert (found.offset, found.timestamp) == (1, 2_000)
        assert (await consumer.offsets_for_times({partition: 9_000}))[partition] is None
        assert await consumer.beginning_offsets([partition]) == {partition: 0}
        assert await consumer.end_offsets([partition]) == {partition: 3}


async def test_topics_are_created_grown_and_deleted(make: Make, topic: str) -> None:
    """The admin client creates, extends and deletes a topic."""
    await create(make, topic, 2)
    async with make(AIOKafkaAdminClient) as admin:
        response = await admin.create_topics([NewTopic(topic, 2, 1)])
        assert response.topic_errors[0][1] == TopicAlreadyExistsError.errno
        await admin.create_partitions({topic: NewPartitions(3)})

        async def grown() -> bool:
            (described,) = await admin.describe_topics([topic])
            return len(described["partitions"]) == 3

        async def gone() -> bool:
            return not await _listed(admin, topic)

        await eventually_async(grown, "three partitions")
        await admin.delete_topics([topic])
        await eventually_async(gone, "the topic is deleted")


async def test_configs_given_at_creation_are_described(make: Make, topic: str) -> None:
    """DescribeConfigs returns the configuration of the creation."""
    await create(make, topic, 1, topic_configs={"max.message.bytes": "4321"})
    async with make(AIOKafkaAdminClient) as admin:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic)
        (response,) = await admin.describe_configs([resource])
        ((error, _, _, name, entries),) = response.resources
        assert (error, name) == (0, topic)
        assert ("max.message.bytes", "4321") in [entry[:2] for entry in entries]


async def test_the_cluster_is_described(make: Make, bootstrap: str) -> None:
    """One broker, at its advertised address."""
    async with make(AIOKafkaAdminClient) as admin:
        (node,) = (await admin.describe_cluster())["brokers"]
        assert f"{node['host']}:{node['port']}" == bootstrap
