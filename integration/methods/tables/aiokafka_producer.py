"""The table of aiokafka's AIOKafkaProducer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiokafka import AIOKafkaProducer, TopicPartition

from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable, called


async def _make(on: Fixtures, settings: Mapping[str, Any]) -> AIOKafkaProducer:
    base = {"bootstrap_servers": on.bootstrap, "client_id": on.client_id}
    producer = AIOKafkaProducer(**base | dict(settings))
    await producer.start()
    return producer


async def _close(producer: AIOKafkaProducer) -> None:
    await producer.stop()


async def _sent(producer: Any, *args: Any, **kwargs: Any) -> Any:
    return await (await producer.send(*args, **kwargs))


async def _with(on: Fixtures, value: bytes = b"v", **settings: Any) -> Any:
    """Send one record with a producer with these settings."""
    producer = await on.make(**settings)
    return await producer.send_and_wait(on.empty_topic("t"), value)


async def _flushed(producer: Any, on: Fixtures) -> Any:
    sent = await producer.send(on.topic, b"v", partition=1)
    return await producer.flush(), sent.done()


async def _stopped(producer: Any, on: Fixtures) -> Any:
    sent = await producer.send(on.topic, b"v", partition=1)
    return await producer.stop(), sent.done()


async def _batched(producer: Any, on: Fixtures) -> Any:
    batch = producer.create_batch()
    appended = [
        batch.append(key=key, value=b"v", timestamp=on.times_ms[0]) is not None
        for key in (b"a", b"b")
    ]
    batch.close()
    sent = await producer.send_batch(batch, on.topic, partition=1)
    return appended, await sent


async def _transactional(on: Fixtures) -> Any:
    """Return a producer within a transaction that has a record."""
    producer = await on.make(transactional_id=on.transaction, request_timeout_ms=5_000)
    await producer.begin_transaction()
    await producer.send_and_wait(on.topic, b"v", partition=1)
    return producer


async def _begun(_: Any, on: Fixtures) -> Any:
    await _transactional(on)


async def _aborted(_: Any, on: Fixtures) -> Any:
    return await (await _transactional(on)).abort_transaction()


async def _committed(_: Any, on: Fixtures) -> Any:
    return await (await _transactional(on)).commit_transaction()


async def _offsets_sent(_: Any, on: Fixtures) -> Any:
    producer = await _transactional(on)
    sent = await producer.send_offsets_to_transaction({TopicPartition(on.topic, 0): 2}, on.group)
    await producer.commit_transaction()
    return sent


async def _in_a_transaction(_: Any, on: Fixtures) -> Any:
    producer = await on.make(transactional_id=on.transaction, request_timeout_ms=5_000)
    async with producer.transaction():
        return await producer.send_and_wait(on.topic, b"v", partition=1)


NET = MethodTable(
    library="aiokafka",
    of=AIOKafkaProducer,
    make=_make,
    close=_close,
    asynchronous=True,
    methods={
        "abort_transaction": called(defaults=_aborted),
        "begin_transaction": called(
            defaults=_begun, without_an_id=lambda producer, _: producer.begin_transaction()
        ),
        "commit_transaction": called(defaults=_committed),
        "create_batch": called(defaults=lambda producer, _: bool(producer.create_batch())),
        "flush": called(defaults=_flushed),
        "partitions_for": called(
            defaults=lambda producer, on: producer.partitions_for(on.topic),
            new_topic=lambda producer, on: producer.partitions_for(on.absent),
        ),
        "send": called(
            defaults=lambda producer, on: _sent(producer, on.empty_topic("t"), b"value"),
            key=lambda producer, on: _sent(producer, on.empty_topic("t"), b"v", b"key"),
            partition=lambda producer, on: _sent(producer, on.topic, b"v", partition=1),
            timestamp=lambda producer, on: _sent(
                producer, on.empty_topic("t"), b"v", timestamp_ms=on.times_ms[0]
            ),
            headers=lambda producer, on: _sent(
                producer, on.empty_topic("t"), b"v", headers=[("a", b"1")]
            ),
            null=lambda producer, on: _sent(producer, on.empty_topic("t"), key=b"key"),
            log_append_time=lambda producer, on: _sent(
                producer,
                on.empty_topic("t", configs={"message.timestamp.type": "LogAppendTime"}),
                b"v",
                timestamp_ms=5,
            ),
        ),
        "send_and_wait": called(
            defaults=lambda producer, on: producer.send_and_wait(on.empty_topic("t"), b"value"),
            partition=lambda producer, on: producer.send_and_wait(on.topic, b"v", partition=1),
            new_topic=lambda producer, on: producer.send_and_wait(on.absent, b"v"),
            idempotent=lambda _, on: _with(on, enable_idempotence=True),
            acks_of_none=lambda _, on: _with(on, acks=0),
            acks_of_all=lambda _, on: _with(on, acks="all"),
            gzip=lambda _, on: _with(on, bytes(1000), compression_type="gzip"),
            snappy=lambda _, on: _with(on, bytes(1000), compression_type="snappy"),
            lz4=lambda _, on: _with(on, bytes(1000), compression_type="lz4"),
            zstd=lambda _, on: _with(on, bytes(1000), compression_type="zstd"),
            too_large=lambda _, on: _with(on, bytes(2_000_000), max_request_size=5_000_000),
        ),
        "send_batch": called(defaults=_batched),
        "send_offsets_to_transaction": called(defaults=_offsets_sent),
        "start": called(defaults=lambda producer, _: producer.start()),
        "stop": called(defaults=_stopped),
        "transaction": called(defaults=_in_a_transaction),
    },
)
