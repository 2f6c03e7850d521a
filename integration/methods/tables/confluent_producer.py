"""The table of confluent-kafka's Producer (librdkafka)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable, called

FLUSH_S = 20


def _make(on: Fixtures, settings: Mapping[str, Any]) -> Producer:
    base = {"bootstrap.servers": on.bootstrap, "client.id": on.client_id, "log_level": 0}
    return Producer(base | dict(settings))


def _delivered(producer: Any, *args: Any, **kwargs: Any) -> Any:
    """Produce one record; returns the fields of its delivery report."""
    reports: list[Any] = []
    producer.produce(*args, on_delivery=lambda *report: reports.append(report), **kwargs)
    return producer.flush(FLUSH_S), reports


def _not_produced(producer: Any, topic: str, *, partition: int) -> Any:
    """Produce to a topic that the client knows: it refuses a partition that it does not know."""
    producer.list_topics(topic)
    return _delivered(producer, topic, b"v", partition=partition)


def _batch(producer: Any, on: Fixtures, messages: list[dict[str, Any]], **kwargs: Any) -> Any:
    reports: list[Any] = []
    queued = producer.produce_batch(
        on.topic, messages, on_delivery=lambda *report: reports.append(report), **kwargs
    )
    return queued, producer.flush(FLUSH_S), sorted(report[1].value() for report in reports)


def _polled(producer: Any, on: Fixtures, *args: Any) -> Any:
    reports: list[Any] = []
    producer.produce(on.topic, b"v", partition=1, callback=lambda *report: reports.append(report))
    return producer.poll(*args), reports


def _purged(on: Fixtures, **kwargs: Any) -> Any:
    """Purge a record that stays in the queue; a non-blocking purge is done by another thread."""
    producer = on.make(**{"linger.ms": 60_000})
    reports: list[Any] = []
    producer.produce(on.topic, b"v", on_delivery=lambda error, _: reports.append(error))
    producer.purge(**kwargs)
    producer.poll(FLUSH_S)
    return producer.flush(FLUSH_S), reports


def _flushed(producer: Any, on: Fixtures, *args: Any) -> Any:
    producer.produce(on.topic, b"v", partition=1)
    return producer.flush(*args)


def _closed(producer: Any, on: Fixtures) -> Any:
    producer.produce(on.topic, b"v", partition=1)
    return producer.close()


def _transactional(on: Fixtures, **settings: Any) -> Any:
    return on.make(**{"transactional.id": on.transaction, **settings})


def _begun(on: Fixtures) -> Any:
    """Return a producer within a transaction that has a record."""
    producer = _transactional(on)
    producer.init_transactions(FLUSH_S)
    producer.begin_transaction()
    producer.produce(on.topic, b"v", partition=1)
    return producer


def _offsets_sent(on: Fixtures, *args: Any) -> Any:
    producer = _begun(on)
    settings = {"bootstrap.servers": on.bootstrap, "group.id": on.group}
    consumer = Consumer(settings)
    try:
        offsets = [TopicPartition(on.topic, 0, 2)]
        metadata = consumer.consumer_group_metadata()
        sent = producer.send_offsets_to_transaction(offsets, metadata, *args)
        producer.commit_transaction(FLUSH_S)
        return sent, consumer.committed([TopicPartition(on.topic, 0)], FLUSH_S)
    finally:
        consumer.close()


def _topics_of(producer: Any, on: Fixtures, *args: Any, **kwargs: Any) -> Any:
    listed = producer.list_topics(*args, **kwargs)
    return listed.brokers, listed.controller_id, on.mine(listed.topics)


NET = MethodTable(
    library="confluent-kafka",
    of=Producer,
    make=_make,
    close=lambda _: None,
    methods={
        "abort_transaction": called(
            defaults=lambda _, on: _begun(on).abort_transaction(),
            timeout=lambda _, on: _begun(on).abort_transaction(FLUSH_S),
            none_begun=lambda _, on: _transactional(on).abort_transaction(),
        ),
        "begin_transaction": called(
            defaults=lambda _, on: _begun(on).flush(FLUSH_S),
            without_an_id=lambda producer, _: producer.begin_transaction(),
        ),
        "close": called(defaults=_closed, unused=lambda producer, _: producer.close()),
        "cluster_id": called(
            defaults=lambda producer, _: len(producer.cluster_id()),
            timeout=lambda producer, _: len(producer.cluster_id(10)),
        ),
        "commit_transaction": called(
            defaults=lambda _, on: _begun(on).commit_transaction(),
            timeout=lambda _, on: _begun(on).commit_transaction(FLUSH_S),
        ),
        "flush": called(
            defaults=_flushed,
            timeout=lambda producer, on: _flushed(producer, on, FLUSH_S),
            nothing=lambda producer, _: producer.flush(),
        ),
        "init_transactions": called(
            defaults=lambda _, on: _transactional(on).init_transactions(),
            timeout=lambda _, on: _transactional(on).init_transactions(FLUSH_S),
            without_an_id=lambda producer, _: producer.init_transactions(5),
            long_transactions=lambda _, on: _transactional(
                on, **{"transaction.timeout.ms": 2_000_000_000}
            ).init_transactions(FLUSH_S),
        ),
        "list_topics": called(
            defaults=_topics_of,
            of_one=lambda producer, on: _topics_of(producer, on, on.topic),
            timeout=lambda producer, on: _topics_of(producer, on, topic=on.topic, timeout=60),
        ),
        "poll": called(
            defaults=_polled,
            timeout=lambda producer, on: _polled(producer, on, 10),
            at_once=lambda producer, _: producer.poll(0),
        ),
        "produce": called(
            defaults=lambda producer, on: _delivered(producer, on.empty_topic("t")),
            value=lambda producer, on: _delivered(producer, on.empty_topic("t"), b"value"),
            text=lambda producer, on: _delivered(producer, on.empty_topic("t"), "value", "key"),
            partition=lambda producer, on: _delivered(producer, on.topic, b"v", partition=1),
            absent_partition=lambda producer, on: _not_produced(producer, on.topic, partition=7),
            timestamp=lambda producer, on: _delivered(
                producer, on.empty_topic("t"), b"v", timestamp=on.times_ms[0]
            ),
            headers=lambda producer, on: _delivered(
                producer, on.empty_topic("t"), b"v", headers=[("a", b"1"), ("b", None)]
            ),
            new_topic=lambda producer, on: _delivered(producer, on.absent, b"v"),
            bad_topic=lambda producer, _: _delivered(producer, "a/b", b"v"),
            too_large=lambda _, on: _delivered(
                on.make(**{"message.max.bytes": 5_000_000}), on.empty_topic("t"), bytes(2_000_000)
            ),
            idempotent=lambda _, on: _delivered(
                on.make(**{"enable.idempotence": True}), on.empty_topic("t"), b"v"
            ),
            acks_of_none=lambda _, on: _delivered(on.make(acks=0), on.empty_topic("t"), b"v"),
            acks_of_one=lambda _, on: _delivered(on.make(acks=1), on.empty_topic("t"), b"v"),
            gzip=lambda _, on: _delivered(
                on.make(**{"compression.type": "gzip"}), on.empty_topic("t"), bytes(1000)
            ),
            snappy=lambda _, on: _delivered(
                on.make(**{"compression.type": "snappy"}), on.empty_topic("t"), bytes(1000)
            ),
            lz4=lambda _, on: _delivered(
                on.make(**{"compression.type": "lz4"}), on.empty_topic("t"), bytes(1000)
            ),
            zstd=lambda _, on: _delivered(
                on.make(**{"compression.type": "zstd"}), on.empty_topic("t"), bytes(1000)
            ),
            log_append_time=lambda producer, on: _delivered(
                producer,
                on.empty_topic("t", configs={"message.timestamp.type": "LogAppendTime"}),
                b"v",
                timestamp=5,
            ),
        ),
        "produce_batch": called(
            defaults=lambda producer, on: _batch(producer, on, [{"value": b"a"}, {"value": b"b"}]),
            partition=lambda producer, on: _batch(producer, on, [{"value": b"a"}], partition=1),
            keys=lambda producer, on: _batch(
                producer, on, [{"value": b"a", "key": b"k", "partition": 0}]
            ),
            timestamp=lambda producer, on: _batch(producer, on, [{"value": b"a", "timestamp": 7}]),
        ),
        "purge": called(
            defaults=lambda _, on: _purged(on),
            not_in_flight=lambda _, on: _purged(on, in_flight=False),
            not_blocking=lambda _, on: _purged(on, in_queue=True, in_flight=True, blocking=False),
        ),
        "send_offsets_to_transaction": called(
            defaults=lambda _, on: _offsets_sent(on),
            timeout=lambda _, on: _offsets_sent(on, FLUSH_S),
        ),
        "set_sasl_credentials": called(
            defaults=lambda producer, _: producer.set_sasl_credentials("user", "password")
        ),
    },
)
