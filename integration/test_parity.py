"""The same requests to our broker and to a real Kafka: the same answers.

Each story runs on a topic of its own, over one raw connection, and yields what it saw. What may
differ (the words of an error message, ids, times) is not yielded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from antechamber import Cluster
from integration.real_kafka import RealKafka
from integration.wire.batches import Producer, batch, values
from integration.wire.connection import Connection
from integration.wire.requests import (
    create_topic,
    fetch,
    list_offsets,
    metadata,
    produce,
    read_create_topic,
    read_fetch,
    read_list_offsets,
    read_metadata,
    read_produce,
)
from integration.wire.topics import make_topic

pytestmark = pytest.mark.jvm

Story = Callable[[Connection, str], Iterator[Any]]
ONE = batch([b"x" * 100])


def offsets(connection: Connection, topic: str) -> Iterator[Any]:
    """Ends of a log by every special timestamp, before and after records came."""
    for _ in range(2):
        for timestamp in (-1, -2, 0, 1_500, 2_000, 9_000):
            yield read_list_offsets(connection.ask(list_offsets(topic, 0, timestamp)))
        for timestamp in (1_000, 2_000, 3_000):
            connection.ask(produce(topic, 0, batch([b"a", b"b"], timestamp_ms=timestamp)))


def size_limits(connection: Connection, topic: str) -> Iterator[Any]:
    """Where max_bytes cuts: the first batch is whole, whatever it says; the last may be partial."""
    for _ in range(4):
        yield read_produce(connection.ask(produce(topic, 0, ONE)))
    for limit in (0, 1, len(ONE), 2 * len(ONE), 2 * len(ONE) + 10, 1_000_000):
        answer = read_fetch(connection.ask(fetch(topic, 0, 0, max_bytes=limit)))
        yield limit, answer.error, len(answer.records), len(list(values(answer.records)))


def records_as_stored(connection: Connection, topic: str) -> Iterator[Any]:
    """The bytes a consumer gets: offsets and epoch put in, all else as it was sent."""
    for i in range(3):
        connection.ask(produce(topic, 0, batch([b"%d" % i] * (i + 1), timestamp_ms=i)))
    yield read_fetch(connection.ask(fetch(topic, 0, 0)))
    yield read_fetch(connection.ask(fetch(topic, 0, 2)))


def waits(connection: Connection, topic: str) -> Iterator[Any]:
    """What is held back, and what is not: whether it took as long as max_wait."""
    connection.ask(produce(topic, 0, ONE))
    for offset, min_bytes, max_wait_ms in (
        (0, 1, 200),
        (1, 1, 200),
        (1, 0, 200),
        (1, -1, 200),
        (1, 1, 0),
        (1, 1, -1),
        (0, len(ONE), 200),
        (0, len(ONE) + 1, 200),
        (2, 1, 200),
    ):
        started = time.monotonic()
        frame = fetch(topic, 0, offset, min_bytes=min_bytes, max_wait_ms=max_wait_ms)
        answer = read_fetch(connection.ask(frame))
        waited = time.monotonic() - started > 0.15
        yield offset, min_bytes, max_wait_ms, answer.error, len(answer.records), waited


def sequences(connection: Connection, topic: str) -> Iterator[Any]:
    """An idempotent producer that nobody has met: gaps, repeats, epochs."""
    for epoch, sequence in ((0, 0), (0, 1), (0, 0), (0, 3), (0, 2), (1, 1), (1, 0), (0, 3)):
        one = batch([b"x"], producer=Producer(900_000_001, epoch, sequence))
        yield epoch, sequence, read_produce(connection.ask(produce(topic, 0, one)))


def damaged(connection: Connection, topic: str) -> Iterator[Any]:
    """Each byte of a batch's header set to 0xff in turn: accepted, or refused with which code."""
    for position in (*range(8, 12), *range(16, 61)):
        spoilt = bytearray(ONE)
        spoilt[position] = 0xFF
        yield position, read_produce(connection.ask(produce(topic, 0, bytes(spoilt)))).error


def topic_names(connection: Connection, topic: str) -> Iterator[Any]:
    """Which names and sizes are refused, and with what."""
    for name in (topic, "", ".", "..", "a b", "x" * 250, topic + "_y"):
        yield name == topic, read_create_topic(connection.ask(create_topic(name)))[0]
    for partitions in (0, -1, -2):
        frame = create_topic(f"{topic}-{partitions}", partitions=partitions)
        yield partitions, read_create_topic(connection.ask(frame))[0]
    for replication in (0, 2, -1, -2):
        frame = create_topic(f"{topic}-r{replication}", replication=replication)
        yield replication, read_create_topic(connection.ask(frame))[0]
    unknown = read_metadata(connection.ask(metadata([topic + "-unknown"], create=False)))
    yield list(unknown.topics.values())


@pytest.mark.parametrize(
    "story",
    [offsets, size_limits, records_as_stored, waits, sequences, damaged, topic_names],
    ids=lambda story: story.__name__,
)
def test_both_answer_alike(
    broker: Cluster | RealKafka, real_kafka: RealKafka, topic: str, story: Story
) -> None:
    """Ours and Kafka's answers, one by one."""

    def told_by(bootstrap: str) -> list[Any]:
        with Connection(bootstrap) as connection:
            make_topic(connection, topic)
            return list(story(connection, topic))

    expected = told_by(real_kafka.bootstrap)
    if broker is not real_kafka:
        answered = told_by(broker.bootstrap)
        pairs = zip(answered, expected, strict=True)
        assert [(ours, theirs) for ours, theirs in pairs if ours != theirs] == []
