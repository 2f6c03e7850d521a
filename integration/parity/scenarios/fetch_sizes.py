"""The sizes of fetches: limits of the request and of a partition, and the first batch."""

from __future__ import annotations

from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario

A = batch("a" * 100)
SIZE = len(A)


@scenario()
def fetch_returns_a_complete_first_batch(kafka: Kafka) -> Observations:
    """The first batch is complete whatever the limits are; later ones must fit."""
    topic = _with_batches(kafka, 4)
    for limit in (0, 1, SIZE - 1, SIZE, 2 * SIZE, 2 * SIZE + 10, 2**31 - 1):
        yield "max_bytes", limit, kafka.request(fetch(topic, max_bytes=limit))
        yield "partition_max_bytes", limit, kafka.request(fetch(topic, partition_max_bytes=limit))


@scenario()
def fetch_limits_count_over_partitions(kafka: Kafka) -> Observations:
    """max_bytes is shared by the partitions in the order of the request."""
    topic = _with_batches(kafka, 3, partitions=3)
    for limit in (0, 1, SIZE, 3 * SIZE + 20, 5 * SIZE, 9 * SIZE):
        yield limit, kafka.request(fetch(topic, {0: 0, 1: 0, 2: 0}, max_bytes=limit))
    yield "in reverse", kafka.request(fetch(topic, {2: 0, 1: 0, 0: 0}, max_bytes=4 * SIZE))


@scenario()
def fetch_partition_limits(kafka: Kafka) -> Observations:
    """Only the first partition with data may exceed its limit with a batch."""
    topic = _with_batches(kafka, 2, partitions=3)
    for limit in (0, 1, SIZE, SIZE + 5):
        yield limit, kafka.request(fetch(topic, {0: 0, 1: 0, 2: 0}, partition_max_bytes=limit))
        yield (
            "first is empty",
            kafka.request(fetch(topic, {0: 2, 1: 0, 2: 0}, partition_max_bytes=limit)),
        )


@scenario()
def fetch_from_the_middle_of_a_batch(kafka: Kafka) -> Observations:
    """The response begins with the batch that contains the offset."""
    topic = kafka.topic()
    kafka.request(produce(topic, batch("a", "b", "c")))
    kafka.request(produce(topic, batch("d", "e")))
    for offset in range(6):
        yield offset, kafka.request(fetch(topic, offset, max_wait_ms=0))


@scenario()
def fetch_negative_limits(kafka: Kafka) -> Observations:
    """Negative limits are an error if there are records to read."""
    topic = _with_batches(kafka, 2)
    for offset in (0, 1, 2, 3):
        yield offset, kafka.request(fetch(topic, offset, max_wait_ms=0, max_bytes=-1))
        yield offset, kafka.request(fetch(topic, offset, max_wait_ms=0, partition_max_bytes=-1))


@scenario()
def fetch_does_not_read_beyond_a_segment(kafka: Kafka) -> Observations:
    """A response contains data of one segment only."""
    topic = kafka.topic(segment_bytes=str(1 << 20))
    for letter in "abc":
        kafka.request(produce(topic, batch(letter * 400_000)))
    for offset in range(4):
        requested = fetch(topic, offset, partition_max_bytes=50 << 20, max_wait_ms=0)
        yield offset, kafka.request(requested)


@scenario()
def fetch_min_bytes_above_max_bytes(kafka: Kafka) -> Observations:
    """A min_bytes above max_bytes is reduced to it."""
    topic = _with_batches(kafka, 4)
    yield kafka.start(fetch(topic, min_bytes=2**31 - 1, max_bytes=2 * SIZE))


def _with_batches(kafka: Kafka, count: int, *, partitions: int = 1) -> str:
    topic = kafka.topic(partitions)
    for _ in range(count):
        kafka.request(produce(topic, dict.fromkeys(range(partitions), A)))
    return topic


@scenario()
def fetch_without_room_for_a_batch(kafka: Kafka) -> Observations:
    """The limit ends within a batch: neither records nor aborted transactions are returned."""
    topic = kafka.topic(2)
    kafka.request(produce(topic, {0: A, 1: A}))
    for room in (0, 1, len(A) - 1, len(A)):
        for read_committed in (False, True):
            requested = fetch(
                topic, {0: 0, 1: 0}, max_bytes=len(A) + room, read_committed=read_committed
            )
            yield room, kafka.request(requested)
