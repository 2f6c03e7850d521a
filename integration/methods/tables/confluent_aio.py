"""The tables of confluent-kafka's AIOProducer and AIOConsumer: its clients for asyncio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition
from confluent_kafka.aio import AIOConsumer, AIOProducer

from integration.machine.deadlines import eventually_async
from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable, called

WITHIN_S = 60


def _base(on: Fixtures) -> dict[str, Any]:
    return {"bootstrap.servers": on.bootstrap, "client.id": on.client_id, "log_level": 0}


async def _make_producer(on: Fixtures, settings: Mapping[str, Any]) -> AIOProducer:
    return AIOProducer(_base(on) | dict(settings), buffer_timeout=0.05)


async def _make_consumer(on: Fixtures, settings: Mapping[str, Any]) -> AIOConsumer:
    of_a_group = {
        "group.id": on.named("group"),
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    return AIOConsumer(_base(on) | of_a_group | dict(settings))


async def _close_producer(producer: AIOProducer) -> None:
    await producer.close()


async def _close_consumer(consumer: AIOConsumer) -> None:
    await consumer.close()


async def _delivered(producer: Any, *args: Any, **kwargs: Any) -> Any:
    return await (await producer.produce(*args, **kwargs))


async def _flushed(producer: Any, on: Fixtures, *args: Any) -> Any:
    sent = await producer.produce(on.topic, b"v", partition=1)
    return await producer.flush(*args), (await sent).offset()


async def _closed(producer: Any, on: Fixtures) -> Any:
    sent = await producer.produce(on.topic, b"v", partition=1)
    return await producer.close(), (await sent).offset()


async def _listed(client: Any, on: Fixtures, *args: Any, **kwargs: Any) -> Any:
    listed = await client.list_topics(*args, **kwargs)
    return listed.brokers, listed.controller_id, on.mine(listed.topics)


async def _length(client: Any, on: Fixtures, *args: Any) -> int:
    return len(await client.cluster_id(*args))


async def _initialized(_: Any, on: Fixtures) -> Any:
    producer = await on.make(**{"transactional.id": on.transaction})
    await producer.init_transactions(WITHIN_S)
    return producer


async def _begun(_: Any, on: Fixtures) -> Any:
    """Return a producer within a transaction that has a record."""
    producer = await _initialized(_, on)
    await producer.begin_transaction()
    await producer.produce(on.topic, b"v", partition=1)
    return producer


async def _ended(_: Any, on: Fixtures, method: str) -> Any:
    return await getattr(await _begun(_, on), method)(WITHIN_S)


async def _offsets_sent(_: Any, on: Fixtures) -> Any:
    producer = await _begun(_, on)
    consumer = Consumer({"bootstrap.servers": on.bootstrap, "group.id": on.group})
    try:
        metadata = consumer.consumer_group_metadata()
        offsets = [TopicPartition(on.topic, 0, 2)]
        sent = await producer.send_offsets_to_transaction(offsets, metadata, WITHIN_S)
        await producer.commit_transaction(WITHIN_S)
        return sent
    finally:
        consumer.close()


PRODUCER = MethodTable(
    library="confluent-kafka",
    of=AIOProducer,
    make=_make_producer,
    close=_close_producer,
    asynchronous=True,
    methods={
        "abort_transaction": called(defaults=lambda _, on: _ended(_, on, "abort_transaction")),
        "begin_transaction": called(
            defaults=lambda _, on: _ended(_, on, "abort_transaction"),
            without_an_id=lambda producer, _: producer.begin_transaction(),
        ),
        "close": called(defaults=_closed, unused=lambda producer, _: producer.close()),
        "cluster_id": called(
            defaults=_length, timeout=lambda producer, on: _length(producer, on, 10)
        ),
        "commit_transaction": called(defaults=lambda _, on: _ended(_, on, "commit_transaction")),
        "flush": called(
            defaults=_flushed, timeout=lambda producer, on: _flushed(producer, on, WITHIN_S)
        ),
        "init_transactions": called(
            defaults=lambda _, on: _ended(_, on, "abort_transaction"),
            without_an_id=lambda producer, _: producer.init_transactions(5),
        ),
        "list_topics": called(
            defaults=_listed,
            of_one=lambda producer, on: _listed(producer, on, topic=on.topic, timeout=60),
        ),
        "poll": called(
            defaults=lambda producer, _: producer.poll(),
            timeout=lambda producer, _: producer.poll(0.1),
        ),
        "produce": called(
            defaults=lambda producer, on: _delivered(producer, on.empty_topic("t")),
            value=lambda producer, on: _delivered(producer, on.empty_topic("t"), b"v", b"key"),
            partition=lambda producer, on: _delivered(producer, on.topic, b"v", partition=1),
            new_topic=lambda producer, on: _delivered(producer, on.absent, b"v"),
        ),
        "purge": called(defaults=lambda producer, _: producer.purge()),
        "send_offsets_to_transaction": called(defaults=_offsets_sent),
        "set_sasl_credentials": called(
            defaults=lambda producer, _: producer.set_sasl_credentials("user", "password")
        ),
    },
)


def _first(on: Fixtures, offset: int = OFFSET_BEGINNING) -> TopicPartition:
    return TopicPartition(on.topic, 0, offset)


async def _reading(consumer: Any, on: Fixtures, count: int = 3) -> Any:
    """Assign the first partition, and read *count* of its records."""
    await consumer.assign([_first(on, 0)])
    return await consumer.consume(count, WITHIN_S)


async def _joined(consumer: Any, on: Fixtures) -> Any:
    """Subscribe, and poll until there is a record, by which time partitions are assigned."""
    await consumer.subscribe([on.topic])
    record = await consumer.poll(WITHIN_S)
    return record, sorted(await consumer.assignment())


async def _subscribed(consumer: Any, on: Fixtures) -> Any:
    reported: list[Any] = []

    async def assigned(_: Any, partitions: Any) -> None:
        reported.append(sorted(partitions))

    await consumer.subscribe([on.topic], on_assign=assigned)
    return await consumer.poll(WITHIN_S), reported


async def _unsubscribed(consumer: Any, on: Fixtures) -> Any:
    await _joined(consumer, on)
    returned = await consumer.unsubscribe()

    async def is_revoked() -> bool:
        await consumer.poll(0.01)
        return not await consumer.assignment()

    await eventually_async(is_revoked, "no assignment")
    return returned


async def _committed(consumer: Any, on: Fixtures, **how: Any) -> Any:
    await _reading(consumer, on)
    returned = await consumer.commit(asynchronous=False, **how)
    return returned, await consumer.committed([_first(on)], timeout=WITHIN_S)


async def _stored(consumer: Any, on: Fixtures) -> Any:
    await consumer.assign([_first(on, 0)])
    stored = await consumer.store_offsets(offsets=[_first(on, 2)])
    return stored, await consumer.commit(asynchronous=False)


async def _after_assigning(consumer: Any, on: Fixtures, method: str, *args: Any) -> Any:
    """Read a record, and call a method with the partition; returns the next record as well."""
    await _reading(consumer, on, 1)
    returned = await getattr(consumer, method)(*args)
    return returned, await consumer.poll(0.2 if method in ("pause", "unassign") else WITHIN_S)


async def _resumed(consumer: Any, on: Fixtures) -> Any:
    await _after_assigning(consumer, on, "pause", [_first(on)])
    return await consumer.resume([_first(on)]), await consumer.poll(WITHIN_S)


async def _positions(consumer: Any, on: Fixtures) -> Any:
    before = await consumer.position([_first(on)])
    await _reading(consumer, on, 2)
    return before, await consumer.position([_first(on)])


async def _added(consumer: Any, on: Fixtures) -> Any:
    added = await consumer.incremental_assign([_first(on, 1)])
    return added, await consumer.poll(WITHIN_S), await consumer.assignment()


async def _removed(consumer: Any, on: Fixtures) -> Any:
    await consumer.assign([_first(on, 0), TopicPartition(on.topic, 1, 0)])
    return await consumer.incremental_unassign([_first(on)]), await consumer.assignment()


async def _consumer_closed(consumer: Any, on: Fixtures) -> Any:
    await _joined(consumer, on)
    return await consumer.close()


async def _metadata(consumer: Any, on: Fixtures) -> Any:
    return type(await consumer.consumer_group_metadata()).__name__


async def _assigned(consumer: Any, on: Fixtures) -> Any:
    return await consumer.assign([_first(on, 0)]), await consumer.poll()


CONSUMER = MethodTable(
    library="confluent-kafka",
    of=AIOConsumer,
    make=_make_consumer,
    close=_close_consumer,
    asynchronous=True,
    methods={
        "assign": called(defaults=_assigned),
        "assignment": called(defaults=_joined, nothing=lambda consumer, _: consumer.assignment()),
        "close": called(defaults=_consumer_closed, unused=lambda consumer, _: consumer.close()),
        "cluster_id": called(
            defaults=_length, timeout=lambda consumer, on: _length(consumer, on, 10)
        ),
        "commit": called(
            defaults=_committed,
            offsets=lambda consumer, on: _committed(consumer, on, offsets=[_first(on, 1)]),
        ),
        "committed": called(
            defaults=lambda consumer, on: consumer.committed([_first(on)]),
            timeout=lambda consumer, on: consumer.committed([_first(on)], timeout=WITHIN_S),
        ).given("group"),
        "consume": called(
            defaults=_reading, timeout=lambda consumer, _: consumer.consume(1, timeout=0.1)
        ),
        "consumer_group_metadata": called(defaults=_metadata),
        "get_watermark_offsets": called(
            defaults=lambda consumer, on: consumer.get_watermark_offsets(_first(on))
        ),
        "incremental_assign": called(defaults=_added),
        "incremental_unassign": called(defaults=_removed),
        "list_topics": called(
            defaults=_listed,
            of_one=lambda consumer, on: _listed(consumer, on, topic=on.topic, timeout=60),
        ),
        "offsets_for_times": called(
            defaults=lambda consumer, on: consumer.offsets_for_times([_first(on, on.times_ms[1])])
        ),
        "pause": called(
            defaults=lambda consumer, on: _after_assigning(consumer, on, "pause", [_first(on)])
        ),
        "poll": called(
            defaults=_assigned,
            timeout=lambda consumer, _: consumer.poll(0.1),
        ),
        "position": called(defaults=_positions),
        "resume": called(defaults=_resumed),
        "seek": called(
            defaults=lambda consumer, on: _after_assigning(consumer, on, "seek", _first(on, 0))
        ),
        "set_sasl_credentials": called(
            defaults=lambda consumer, _: consumer.set_sasl_credentials("user", "password")
        ),
        "store_offsets": called({"enable.auto.offset.store": False}, defaults=_stored),
        "subscribe": called(defaults=_joined, on_assign=_subscribed),
        "unassign": called(
            defaults=lambda consumer, on: _after_assigning(consumer, on, "unassign")
        ),
        "unsubscribe": called(defaults=_unsubscribed),
    },
)
