"""Timestamps of records: the producer's or the broker's, and their limits."""

from __future__ import annotations

import time

from integration.parity.requests import TIME_MS, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.compression import Codec
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record

HOUR_MS = 3_600_000


@scenario()
def append_time_is_set_by_the_broker(kafka: Kafka) -> Observations:
    """With LogAppendTime every record has the time of its append, which the response returns."""
    topic = kafka.topic(message_timestamp_type="LogAppendTime")
    for codec in (Codec.NONE, Codec.GZIP):
        yield codec.name, kafka.request(produce(topic, batch("a", "b", codec=codec)))
    yield kafka.request(fetch(topic))


@scenario()
def create_time_is_set_by_the_producer(kafka: Kafka) -> Observations:
    """With CreateTime the producer's timestamps are kept; the response has none."""
    topic = kafka.topic()
    yield kafka.request(produce(topic, batch("a", at=5)))
    yield kafka.request(list_offsets(topic, 5))


@scenario()
def times_too_far_away(kafka: Kafka) -> Observations:
    """message.timestamp.before.max.ms and after.max.ms limit a producer's timestamps."""
    topic = kafka.topic(
        message_timestamp_before_max_ms=str(HOUR_MS), message_timestamp_after_max_ms=str(HOUR_MS)
    )
    now = int(time.time() * 1000)
    for hours in (-24, -0.5, 0, 0.5, 24):
        sent = batch("a", at=now + int(hours * HOUR_MS))
        yield hours, kafka.request(produce(topic, sent))


@scenario()
def times_too_far_away_in_a_batch(kafka: Kafka) -> Observations:
    """One record out of these limits rejects the batch, and is named by its index."""
    topic = kafka.topic(message_timestamp_before_max_ms=str(HOUR_MS))
    now = int(time.time() * 1000)
    times = (now, now - 2 * HOUR_MS, now, now - 3 * HOUR_MS)
    records = [Record(key=None, value=b"x", timestamp=each) for each in times]
    for codec in (Codec.NONE, Codec.LZ4):
        yield codec.name, kafka.request(produce(topic, build_batch(records, codec=codec)))


@scenario()
def times_in_the_future(kafka: Kafka) -> Observations:
    """By default a timestamp may be up to an hour ahead, and any time in the past."""
    topic = kafka.topic()
    now = int(time.time() * 1000)
    for what, at in (("none", -1), ("zero", 0), ("soon", now + 60_000), ("far", now + 2 * HOUR_MS)):
        yield what, kafka.request(produce(topic, batch("a", at=at)))


@scenario()
def times_that_descend(kafka: Kafka) -> Observations:
    """Timestamps need not ascend: the first record at or after a time is found."""
    topic = kafka.topic()
    for at in (3000, 1000, 2000, 4000):
        kafka.request(produce(topic, batch("a", at=at)))
    for at in (500, 1000, 1500, 2500, 3500, 4000, 4001):
        yield at, kafka.request(list_offsets(topic, at))


@scenario()
def times_within_a_batch(kafka: Kafka) -> Observations:
    """The search for a timestamp checks each record."""
    topic = kafka.topic()
    records = [Record(key=None, value=b"x", timestamp=TIME_MS + each) for each in (5, 1, 9, 3)]
    kafka.request(produce(topic, build_batch(records)))
    for at in (0, 1, 4, 6, 9, 10):
        yield at, kafka.request(list_offsets(topic, TIME_MS + at))
