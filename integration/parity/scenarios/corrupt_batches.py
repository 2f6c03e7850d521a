"""Corrupt batches: accepted, or rejected with an error code."""

from __future__ import annotations

from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.record_batch.patch import seal

A = batch("x" * 30)


@scenario()
def damaged_header_bytes(kafka: Kafka) -> Observations:
    """One byte of a batch's header at a time is set to 0xff."""
    topic = kafka.topic()
    for position in (*range(8, 12), *range(16, 61)):
        spoilt = bytearray(A)
        spoilt[position] = 0xFF
        yield position, kafka.request(produce(topic, bytes(spoilt)))


@scenario()
def damaged_header_bytes_with_a_correct_checksum(kafka: Kafka) -> Observations:
    """The same with a correct checksum, to reach the later checks."""
    topic = kafka.topic()
    for position in range(21, 61):
        spoilt = bytearray(A)
        spoilt[position] = 0xFF
        yield position, kafka.request(produce(topic, seal(spoilt)))


@scenario()
def damaged_record_bytes(kafka: Kafka) -> Observations:
    """One byte of the records at a time is changed, with a correct checksum."""
    topic = kafka.topic()
    two = batch("first", "second", key="k")
    for position in range(61, len(two)):
        spoilt = bytearray(two)
        spoilt[position] ^= 0x41
        yield position, kafka.request(produce(topic, seal(spoilt)))


@scenario()
def base_offsets_are_assigned_by_the_broker(kafka: Kafka) -> Observations:
    """The broker overwrites the producer's base offset and leader epoch."""
    topic = kafka.topic()
    for position in range(8):
        own = bytearray(A)
        own[position] = 7
        yield position, kafka.request(produce(topic, bytes(own)))
    own = bytearray(A)
    own[12:16] = b"\0\0\0\5"
    yield "epoch", kafka.request(produce(topic, bytes(own)))
    (partition,) = kafka.request(fetch(topic)).responses[0].partitions
    yield "as stored", bytes(partition.records)


@scenario()
def truncated_batches(kafka: Kafka) -> Observations:
    """A batch is truncated at each of its bytes."""
    topic = kafka.topic()
    for size in range(0, len(A), 7):
        yield size, kafka.request(produce(topic, A[:size]))


@scenario()
def old_formats(kafka: Kafka) -> Observations:
    """Message sets of magic 0 and 1, which are not supported any more."""
    topic = kafka.topic()
    for magic in (0, 1, 3, 127, 255):
        old = bytearray(A)
        old[16] = magic
        yield magic, kafka.request(produce(topic, bytes(old)))
