"""The table of kafka-python's KafkaProducer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafka import KafkaProducer, TopicPartition
from kafka.structs import OffsetAndMetadata

from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable, called

WITHIN_S = 60


def _make(on: Fixtures, settings: Mapping[str, Any]) -> KafkaProducer:
    base = {"bootstrap_servers": on.bootstrap, "client_id": on.client_id}
    return KafkaProducer(**base | dict(settings))


def _close(producer: KafkaProducer) -> None:
    producer.close(timeout=5)


def _sent(producer: Any, *args: Any, **kwargs: Any) -> Any:
    return producer.send(*args, **kwargs).get(WITHIN_S)


def _compressed(on: Fixtures, codec: str) -> Any:
    return _sent(on.make(compression_type=codec), on.empty_topic("t"), bytes(1000))


def _flushed(producer: Any, on: Fixtures, *args: Any) -> Any:
    sent = producer.send(on.topic, b"v", partition=1)
    return producer.flush(*args), sent.is_done


def _closed(producer: Any, on: Fixtures, **options: Any) -> Any:
    sent = producer.send(on.topic, b"v", partition=1)
    return producer.close(**options), sent.is_done


def _initialized(on: Fixtures) -> Any:
    producer = on.make(transactional_id=on.transaction, max_block_ms=5_000)
    producer.init_transactions()
    return producer


def _begun(on: Fixtures) -> Any:
    """Return a producer within a transaction that has a record."""
    producer = _initialized(on)
    producer.begin_transaction()
    producer.send(on.topic, b"v", partition=1)
    return producer


def _offsets_sent(on: Fixtures) -> Any:
    producer = _begun(on)
    offsets = {TopicPartition(on.topic, 0): OffsetAndMetadata(2, "", -1)}
    return producer.send_offsets_to_transaction(offsets, on.group), producer.commit_transaction()


NET = MethodTable(
    library="kafka-python",
    of=KafkaProducer,
    make=_make,
    close=_close,
    methods={
        "abort_transaction": called(defaults=lambda _, on: _begun(on).abort_transaction()),
        "begin_transaction": called(
            defaults=lambda _, on: _initialized(on).begin_transaction(),
            without_an_id=lambda producer, _: producer.begin_transaction(),
        ),
        "bootstrap_connected": called(
            defaults=lambda producer, on: (
                (_sent(producer, on.topic, b"v", partition=1) is not None)
                and producer.bootstrap_connected()
            )
        ),
        "close": called(
            defaults=_closed,
            timeout=lambda producer, on: _closed(producer, on, timeout=10),
            unused=lambda producer, _: producer.close(null_logger=True),
        ),
        "commit_transaction": called(defaults=lambda _, on: _begun(on).commit_transaction()),
        "flush": called(
            defaults=_flushed, timeout=lambda producer, on: _flushed(producer, on, WITHIN_S)
        ),
        "init_transactions": called(
            defaults=lambda _, on: on.make(
                transactional_id=on.transaction, max_block_ms=5_000
            ).init_transactions(),
            without_an_id=lambda producer, _: producer.init_transactions(),
        ),
        "max_usable_produce_magic": called(
            defaults=lambda producer, _: producer.max_usable_produce_magic((2, 0))
        ),
        "metrics": called(
            defaults=lambda producer, _: bool(producer.metrics()),
            raw=lambda producer, _: bool(producer.metrics(raw=True)),
        ),
        "partitions_for": called(
            defaults=lambda producer, on: producer.partitions_for(on.topic),
            new_topic=lambda producer, on: producer.partitions_for(on.absent),
        ),
        "send": called(
            defaults=lambda producer, on: _sent(producer, on.empty_topic("t"), b"value"),
            key=lambda producer, on: _sent(producer, on.empty_topic("t"), key=b"key"),
            headers=lambda producer, on: _sent(
                producer, on.empty_topic("t"), b"v", headers=[("a", b"1")]
            ),
            partition=lambda producer, on: _sent(producer, on.topic, b"v", partition=1),
            absent_partition=lambda producer, on: _sent(producer, on.topic, b"v", partition=7),
            timestamp=lambda producer, on: _sent(
                producer, on.empty_topic("t"), b"v", timestamp_ms=on.times_ms[0]
            ),
            log_append_time=lambda producer, on: _sent(
                producer,
                on.empty_topic("t", configs={"message.timestamp.type": "LogAppendTime"}),
                b"v",
                timestamp_ms=5,
            ),
            new_topic=lambda producer, on: _sent(producer, on.absent, b"v"),
            too_large=lambda _, on: _sent(
                on.make(max_request_size=5_000_000), on.empty_topic("t"), bytes(2_000_000)
            ),
            idempotent=lambda _, on: _sent(
                on.make(enable_idempotence=True), on.empty_topic("t"), b"v"
            ),
            not_idempotent=lambda _, on: _sent(
                on.make(enable_idempotence=False), on.empty_topic("t"), b"v"
            ),
            acks_of_none=lambda _, on: _sent(
                on.make(acks=0, enable_idempotence=False), on.empty_topic("t"), b"v"
            ),
            acks_of_one=lambda _, on: _sent(
                on.make(acks=1, enable_idempotence=False), on.empty_topic("t"), b"v"
            ),
            gzip=lambda _, on: _compressed(on, "gzip"),
            snappy=lambda _, on: _compressed(on, "snappy"),
            lz4=lambda _, on: _compressed(on, "lz4"),
            zstd=lambda _, on: _compressed(on, "zstd"),
        ).ignoring("serialized_key_size"),
        "send_offsets_to_transaction": called(defaults=lambda _, on: _offsets_sent(on)),
    },
)
