"""The tables of confluent-kafka's clients with serializers, including those for asyncio.

They contain only their own methods, without those of their base classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import (
    Consumer,
    DeserializingConsumer,
    Producer,
    SerializingProducer,
    TopicPartition,
)
from confluent_kafka.aio import (
    AIOConsumer,
    AIOProducer,
    AsyncDeserializingConsumer,
    AsyncSerializingProducer,
)
from confluent_kafka.serialization import StringDeserializer, StringSerializer

from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable, called, public_methods

WITHIN_S = 60


def _base(on: Fixtures) -> dict[str, Any]:
    return {"bootstrap.servers": on.bootstrap, "client.id": on.client_id, "log_level": 0}


def _make_producer(on: Fixtures, settings: Mapping[str, Any]) -> SerializingProducer:
    serializers = {"key.serializer": StringSerializer(), "value.serializer": StringSerializer()}
    return SerializingProducer(_base(on) | serializers | dict(settings))


def _make_consumer(on: Fixtures, settings: Mapping[str, Any]) -> DeserializingConsumer:
    of_a_group = {"group.id": on.named("group"), "auto.offset.reset": "earliest"}
    of_a_group |= {"value.deserializer": StringDeserializer(), "enable.auto.commit": False}
    return DeserializingConsumer(_base(on) | of_a_group | dict(settings))


def _close(consumer: DeserializingConsumer) -> None:
    consumer.close()


def _delivered(producer: Any, *args: Any, **kwargs: Any) -> Any:
    reports: list[Any] = []
    producer.produce(*args, on_delivery=lambda *report: reports.append(report), **kwargs)
    return producer.flush(WITHIN_S), reports


def _assigned(consumer: Any, on: Fixtures) -> Any:
    consumer.assign([TopicPartition(on.topic, 0, 0)])
    return consumer


PRODUCER = MethodTable(
    library="confluent-kafka",
    of=SerializingProducer,
    make=_make_producer,
    close=lambda _: None,
    inherited=public_methods(Producer) - vars(SerializingProducer).keys(),
    methods={
        "close": called(defaults=lambda producer, _: producer.close()),
        "produce": called(
            defaults=lambda producer, on: _delivered(producer, on.empty_topic("t")),
            text=lambda producer, on: _delivered(producer, on.empty_topic("t"), "key", "value"),
            partition=lambda producer, on: _delivered(producer, on.topic, "k", "v", partition=1),
            headers=lambda producer, on: _delivered(
                *(producer, on.empty_topic("t"), "k", "v"),
                timestamp=on.times_ms[0],
                headers={"a": b"1"},
            ),
        ),
    },
)

CONSUMER = MethodTable(
    library="confluent-kafka",
    of=DeserializingConsumer,
    make=_make_consumer,
    close=_close,
    inherited=public_methods(Consumer) - vars(DeserializingConsumer).keys(),
    methods={
        "close": called(defaults=lambda consumer, _: consumer.close()),
        "consume": called(
            defaults=lambda consumer, on: _assigned(consumer, on).consume(),
            several=lambda consumer, on: _assigned(consumer, on).consume(3, WITHIN_S),
        ),
        "poll": called(
            defaults=lambda consumer, on: _assigned(consumer, on).poll(),
            timeout=lambda consumer, on: _assigned(consumer, on).poll(WITHIN_S),
            nothing=lambda consumer, _: consumer.poll(0),
        ),
    },
)


async def _make_async_producer(
    on: Fixtures, settings: Mapping[str, Any]
) -> AsyncSerializingProducer:
    serializers = {"key.serializer": StringSerializer(), "value.serializer": StringSerializer()}
    return await AsyncSerializingProducer(_base(on) | serializers | dict(settings))


async def _make_async_consumer(
    on: Fixtures, settings: Mapping[str, Any]
) -> AsyncDeserializingConsumer:
    of_a_group = {"group.id": on.named("group"), "auto.offset.reset": "earliest"}
    of_a_group |= {"value.deserializer": StringDeserializer(), "enable.auto.commit": False}
    return await AsyncDeserializingConsumer(_base(on) | of_a_group | dict(settings))


async def _aclose(client: Any) -> None:
    await client.close()


async def _sent(producer: Any, *args: Any, **kwargs: Any) -> Any:
    sent = await producer.produce(*args, **kwargs)
    await producer.flush()
    return await sent


async def _read(consumer: Any, on: Fixtures, method: str, *args: Any) -> Any:
    await consumer.assign([TopicPartition(on.topic, 0, 0)])
    return await getattr(consumer, method)(*args)


ASYNC_PRODUCER = MethodTable(
    library="confluent-kafka",
    of=AsyncSerializingProducer,
    make=_make_async_producer,
    close=_aclose,
    asynchronous=True,
    inherited=public_methods(AIOProducer) - vars(AsyncSerializingProducer).keys(),
    methods={
        "close": called(defaults=lambda producer, _: producer.close()),
        "produce": called(
            defaults=lambda producer, on: _sent(producer, on.empty_topic("t")),
            text=lambda producer, on: _sent(producer, on.empty_topic("t"), "key", "value"),
            partition=lambda producer, on: _sent(producer, on.topic, "k", "v", partition=1),
        ),
    },
)

ASYNC_CONSUMER = MethodTable(
    library="confluent-kafka",
    of=AsyncDeserializingConsumer,
    make=_make_async_consumer,
    close=_aclose,
    asynchronous=True,
    inherited=public_methods(AIOConsumer) - vars(AsyncDeserializingConsumer).keys(),
    methods={
        "close": called(defaults=lambda consumer, _: consumer.close()),
        "consume": called(
            defaults=lambda consumer, on: _read(consumer, on, "consume"),
            several=lambda consumer, on: _read(consumer, on, "consume", 3, WITHIN_S),
        ),
        "poll": called(
            defaults=lambda consumer, on: _read(consumer, on, "poll"),
            timeout=lambda consumer, on: _read(consumer, on, "poll", WITHIN_S),
        ),
    },
)
