"""Transactions of aiokafka, which uses the oldest versions of the old protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError, ProducerFenced

from antechamber import Cluster
from integration.clients.api_uses import ApiUses

WITHIN_S = 60
TIMEOUT_MS = 1500

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
    async def build(client: Make, at: str = bootstrap, **settings: Any) -> AsyncIterator[Any]:
        built = client(bootstrap_servers=at, **settings)
        await built.start()
        try:
            yield built
        finally:
            await built.stop()

    return build


async def take(consumer: Any, count: int) -> list[bytes]:
    """Return that many records."""
    taken: list[bytes] = []
    async with asyncio.timeout(WITHIN_S):
        while len(taken) < count:
            polled = await consumer.getmany(timeout_ms=100, max_records=count - len(taken))
            for records in polled.values():
                taken.extend(record.value for record in records)
    return taken


async def read(
    make: Make, topic: str, count: int, *at: str, isolation: str = "read_committed"
) -> list[bytes]:
    """Return the first records of partition 0, without a group."""
    async with make(AIOKafkaConsumer, *at, isolation_level=isolation) as consumer:
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek(TopicPartition(topic, 0), 0)
        return await take(consumer, count)


async def test_committed_records_are_read_and_aborted_ones_are_not(make: Make, topic: str) -> None:
    """A read_uncommitted consumer reads all of them."""
    async with make(AIOKafkaProducer, transactional_id=topic) as producer:
        for number in range(6):
            await producer.begin_transaction()
            await producer.send_and_wait(topic, b"%d" % number, partition=0)
            if number % 3 == 2:
                await producer.abort_transaction()
            else:
                await producer.commit_transaction()

    assert await read(make, topic, 4) == [b"0", b"1", b"3", b"4"]
    everything = await read(make, topic, 6, isolation="read_uncommitted")
    assert everything == [b"0", b"1", b"2", b"3", b"4", b"5"]


async def test_open_transactions_hold_records_back(make: Make, topic: str) -> None:
    """Also later records of other producers."""
    async with (
        make(AIOKafkaProducer, transactional_id=topic) as producer,
        make(AIOKafkaProducer) as other,
        make(AIOKafkaConsumer, isolation_level="read_committed") as consumer,
    ):
        await producer.begin_transaction()
        await producer.send_and_wait(topic, b"first", partition=0)
        await other.send_and_wait(topic, b"second", partition=0)
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek(TopicPartition(topic, 0), 0)

        assert await consumer.getmany(timeout_ms=500) == {}

        await producer.commit_transaction()
        assert await take(consumer, 2) == [b"first", b"second"]


async def test_an_aborted_transformation_is_repeated(make: Make, topic: str, group: str) -> None:
    """Consumed offsets are committed with the produced records, or not at all."""
    source, target = f"{topic}-source", f"{topic}-target"
    async with make(AIOKafkaProducer) as plain:
        for number in range(4):
            await plain.send_and_wait(source, b"%d" % number, partition=0)
    of_group = {"group_id": group, "auto_offset_reset": "earliest", "enable_auto_commit": False}
    async with make(AIOKafkaProducer, transactional_id=topic) as producer:
        for is_committed in (False, True, True):
            async with make(AIOKafkaConsumer, **of_group) as consumer:
                consumer.subscribe([source])
                await producer.begin_transaction()
                for value in await take(consumer, 2):
                    await producer.send_and_wait(target, value + b"!", partition=0)
                partition = TopicPartition(source, 0)
                positions = {partition: await consumer.position(partition)}
                await producer.send_offsets_to_transaction(positions, group)
                if is_committed:
                    await producer.commit_transaction()
                else:
                    await producer.abort_transaction()

    assert await read(make, target, 4) == [b"0!", b"1!", b"2!", b"3!"]
    async with make(AIOKafkaConsumer, **of_group) as consumer:
        assert await consumer.committed(TopicPartition(source, 0)) == 4


async def test_the_earlier_producer_of_an_id_is_fenced(make: Make, topic: str) -> None:
    """Its open transaction is aborted, and it cannot commit."""
    async with make(AIOKafkaProducer, transactional_id=topic) as first:
        await first.begin_transaction()
        await first.send_and_wait(topic, b"of the first", partition=0)
        async with make(AIOKafkaProducer, transactional_id=topic) as second:
            async with second.transaction():
                await second.send_and_wait(topic, b"of the second", partition=0)

            with pytest.raises(ProducerFenced):
                await first.commit_transaction()

    assert await read(make, topic, 1) == [b"of the second"]


async def test_a_transaction_times_out(
    cluster: Callable[..., Cluster], make: Make, api_uses: ApiUses, topic: str
) -> None:
    """It is aborted, and its producer cannot commit it."""
    kafka = cluster(
        records=api_uses.records(),
        config={"transaction.abort.timed.out.transaction.cleanup.interval.ms": 200},
    )
    at = kafka.bootstrap
    async with (
        make(
            AIOKafkaProducer, at, transactional_id=topic, transaction_timeout_ms=TIMEOUT_MS
        ) as producer,
        make(AIOKafkaProducer, at) as other,
    ):
        await producer.begin_transaction()
        await producer.send_and_wait(topic, b"late", partition=0)
        await other.send_and_wait(topic, b"other", partition=0)

        assert await read(make, topic, 1, at) == [b"other"]
        with pytest.raises(KafkaError):
            await producer.commit_transaction()
