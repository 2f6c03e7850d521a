"""Parked fetches: min_bytes, max_wait_ms, and the events that wake them."""

from __future__ import annotations

from integration.parity.admin_requests import delete_topics
from integration.parity.requests import PATIENT_MS, SHORT_MS, batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario

FOREVER_MS = 2**31 - 1
A = batch("a")


@scenario()
def fetch_with_enough_is_immediate(kafka: Kafka) -> Observations:
    """A fetch that finds min_bytes does not wait, in any version."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    for version in (4, 7, 11, 12):
        yield version, kafka.start(fetch(topic, min_bytes=len(A)), version)


@scenario()
def fetch_without_records_times_out(kafka: Kafka) -> Observations:
    """A fetch at the end of a log waits exactly max_wait_ms and returns no records."""
    topic = kafka.topic()
    parked = {
        each: kafka.start(fetch(topic, max_wait_ms=SHORT_MS), each) for each in (4, 7, 11, 12)
    }
    yield from parked.items()


@scenario()
def fetch_wakes_on_produce(kafka: Kafka) -> Observations:
    """A parked fetch is woken by the next append with any acks."""
    topic = kafka.topic()
    for offset, acks in enumerate((1, -1, 0)):
        parked = kafka.start(fetch(topic, offset))
        yield "waits", parked.waits()
        kafka.connect().start(produce(topic, A, acks=acks))
        yield f"acks {acks}", parked


@scenario()
def fetch_of_no_bytes_is_immediate(kafka: Kafka) -> Observations:
    """Without min_bytes or max_wait_ms the response is empty and immediate."""
    topic = kafka.topic()
    for max_wait_ms, min_bytes in ((0, 1), (-1, 1), (PATIENT_MS, 0), (PATIENT_MS, -1)):
        requested = fetch(topic, max_wait_ms=max_wait_ms, min_bytes=min_bytes)
        yield f"wait {max_wait_ms}, min {min_bytes}", kafka.start(requested)


@scenario()
def fetch_of_no_partition_is_immediate(kafka: Kafka) -> Observations:
    """A fetch without partitions does not wait."""
    topic = kafka.topic()
    for version in (4, 7, 12):
        yield version, kafka.start(fetch(topic, {}), version)


@scenario()
def fetch_may_wait_for_weeks(kafka: Kafka) -> Observations:
    """The largest max_wait_ms is valid."""
    topic = kafka.topic()
    parked = kafka.start(fetch(topic, max_wait_ms=FOREVER_MS))
    yield "waits", parked.waits()
    kafka.request(produce(topic, A))
    yield "after a produce", parked


@scenario()
def fetch_waits_for_the_last_byte(kafka: Kafka) -> Observations:
    """One byte less than min_bytes does not suffice; with a second batch both are returned."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    parked = kafka.start(fetch(topic, min_bytes=len(A) + 1))
    yield "waits", parked.waits()
    kafka.request(produce(topic, A))
    yield "after a second batch", parked


@scenario()
def fetch_sums_the_bytes_of_its_partitions(kafka: Kafka) -> Observations:
    """Bytes of all partitions of a fetch count towards min_bytes."""
    topic = kafka.topic(2)
    parked = kafka.start(fetch(topic, {0: 0, 1: 0}, min_bytes=2 * len(A)))
    kafka.request(produce(topic, {0: A}))
    yield "waits after the first", parked.waits()
    kafka.request(produce(topic, {1: A}))
    yield "after a batch in each", parked


@scenario()
def fetch_returns_available_data_at_its_timeout(kafka: Kafka) -> Observations:
    """At max_wait_ms the available data is returned, though it is less than min_bytes."""
    topic = kafka.topic(2)
    parked = kafka.start(fetch(topic, {0: 0, 1: 0}, min_bytes=10_000, max_wait_ms=SHORT_MS))
    kafka.request(produce(topic, {1: A}))
    yield parked


@scenario()
def fetch_is_not_woken_by_a_rejected_produce(kafka: Kafka) -> Observations:
    """A batch with a wrong checksum wakes no fetch."""
    topic = kafka.topic()
    parked = kafka.start(fetch(topic, max_wait_ms=SHORT_MS))
    broken = bytearray(A)
    broken[-1] ^= 0xFF
    yield "produce", kafka.request(produce(topic, bytes(broken)))
    yield "fetch", parked


@scenario()
def fetch_is_not_woken_by_another_partition(kafka: Kafka) -> Observations:
    """An append to another partition wakes no fetch."""
    topic = kafka.topic(2)
    parked = kafka.start(fetch(topic, {1: 0}, max_wait_ms=SHORT_MS))
    kafka.request(produce(topic, {0: A}))
    yield parked


@scenario()
def fetch_with_an_unknown_partition_waits_for_the_other(kafka: Kafka) -> Observations:
    """An unknown partition does not end the wait for a known one; alone it completes at once."""
    topic = kafka.topic()
    yield "alone", kafka.start(fetch(topic, {7: 0}))
    parked = kafka.start(fetch(topic, {0: 0, 7: 0}))
    yield "waits", parked.waits()
    kafka.request(produce(topic, A))
    yield "after a produce", parked
    yield "to the end", kafka.start(fetch(topic, {7: 0, 0: 1}, max_wait_ms=SHORT_MS))


@scenario()
def fetch_out_of_range_ends_the_wait_of_all(kafka: Kafka) -> Observations:
    """An offset out of range ends the wait at once, and other partitions return their data."""
    topic = kafka.topic(2)
    kafka.request(produce(topic, {0: A, 1: A}))
    for offset in (2, -1, -2):
        yield offset, kafka.start(fetch(topic, {0: 0, 1: offset}, min_bytes=10_000))


@scenario()
def fetch_wakes_when_the_log_rolls(kafka: Kafka) -> Observations:
    """A new segment ends the wait, because a read covers the old segment only."""
    topic = kafka.topic(segment_bytes=str(1 << 20))
    big = batch("x" * 700_000)
    kafka.request(produce(topic, big))
    parked = kafka.start(fetch(topic, min_bytes=10 << 20, partition_max_bytes=50 << 20))
    yield "waits", parked.waits()
    kafka.request(produce(topic, big))
    yield "after a roll", parked


@scenario()
def many_fetches_wake_together(kafka: Kafka) -> Observations:
    """One produce wakes every fetch that waits for the partition."""
    topic = kafka.topic()
    parked = [kafka.start(fetch(topic)) for _ in range(30)]
    yield "all wait", all(each.waits() for each in parked[-3:])
    kafka.request(produce(topic, A))
    responses = [kafka.formatter.line(each.response()) for each in parked]
    yield "different responses", len(set(responses)), responses[0]


@scenario()
def fetch_delays_later_requests_of_its_connection(kafka: Kafka) -> Observations:
    """A produce after a parked fetch on its connection is executed after the fetch's response."""
    topic = kafka.topic()
    client = kafka.connect()
    parked = client.start(fetch(topic, max_wait_ms=SHORT_MS))
    behind = client.start(produce(topic, A))
    yield "fetch", parked
    yield "produce", behind.response()


@scenario()
def fetches_of_closed_connections(kafka: Kafka) -> Observations:
    """Connections that close while their fetches wait do not affect others."""
    topic = kafka.topic()
    gone = [kafka.connect() for _ in range(10)]
    for client in gone:
        client.start(fetch(topic))
    stays = kafka.start(fetch(topic))
    yield "waits", stays.waits()
    for client in gone:
        client.close()
    kafka.request(produce(topic, A))
    yield "after a produce", stays


@scenario()
def fetch_wakes_when_its_topic_is_deleted(kafka: Kafka) -> Observations:
    """The deletion of a topic ends the wait; other partitions return their data."""
    doomed, kept = kafka.topic(), kafka.topic()
    kafka.request(produce(kept, A))
    both = fetch(doomed, min_bytes=10_000)
    both.topics += fetch(kept).topics
    old, new = kafka.start(both, 4), kafka.start(both, 12)
    yield "both wait", old.waits(), new.waits()
    kafka.request(delete_topics(doomed))
    yield "v4", old
    yield "v12", new
