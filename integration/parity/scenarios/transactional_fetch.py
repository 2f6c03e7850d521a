"""Reads of records of transactions: the last stable offset, waits for it, aborted transactions."""

from __future__ import annotations

from integration.parity.admin_requests import delete_records, delete_topics
from integration.parity.requests import (
    EARLIEST,
    LATEST,
    SHORT_MS,
    TIME_MS,
    batch,
    fetch,
    list_offsets,
    produce,
)
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import describe_producers, now_ms
from integration.parity.transactional_producer import OLD, Producer

MAX_TIMESTAMP = -3


@scenario()
def committed_fetch_waits_for_a_commit(kafka: Kafka) -> Observations:
    """A read_committed fetch at the last stable offset is woken by the marker, not by records."""
    topic, producer = kafka.topic(), Producer(kafka)
    parked = kafka.start(fetch(topic, read_committed=True))
    producer.produce(topic, "a")
    producer.produce(topic, "b")
    yield "waits", parked.waits()
    yield producer.end()
    yield parked


@scenario()
def committed_fetch_waits_for_an_abort(kafka: Kafka) -> Observations:
    """An abort wakes the fetch, too, and the response names the aborted transaction."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer.produce(topic, "a")
    parked = kafka.start(fetch(topic, read_committed=True))
    yield "waits", parked.waits()
    yield producer.end(commit=False)
    yield parked


@scenario()
def committed_fetch_waits_for_the_oldest_transaction(kafka: Kafka) -> Observations:
    """The marker of a later transaction does not move the last stable offset."""
    topic, first, second = kafka.topic(), Producer(kafka), Producer(kafka)
    first.produce(topic, "a")
    second.produce(topic, "b")
    parked = kafka.start(fetch(topic, read_committed=True))
    second.complete(commit=False)
    kafka.request(produce(topic, batch("c", at=now_ms())))
    yield "waits", parked.waits()
    yield kafka.request(fetch(topic, 1, max_wait_ms=0))
    yield first.end()
    yield parked


@scenario()
def committed_fetch_times_out(kafka: Kafka) -> Observations:
    """While a transaction is open, a read_committed fetch waits for max_wait_ms."""
    topic, producer = kafka.topic(), Producer(kafka)
    kafka.request(produce(topic, batch("a", at=now_ms())))
    producer.produce(topic, "b")
    yield "below", kafka.start(fetch(topic, read_committed=True))
    at_end = fetch(topic, 1, read_committed=True, max_wait_ms=SHORT_MS)
    enough = fetch(topic, read_committed=True, max_wait_ms=SHORT_MS, min_bytes=100)
    both = [kafka.start(each) for each in (at_end, enough)]
    yield from both
    yield "read_uncommitted", kafka.start(fetch(topic, min_bytes=100))


@scenario()
def committed_fetch_above_the_last_stable_offset(kafka: Kafka) -> Observations:
    """Between the last stable offset and the high watermark, the response is empty and at once."""
    topic, producer = kafka.topic(), Producer(kafka)
    for letter in "abc":
        producer.produce(topic, letter)
    for offset in (1, 2, 3, 4):
        yield offset, kafka.start(fetch(topic, offset, read_committed=True))
    yield "at it", kafka.start(fetch(topic, 0, read_committed=True, max_wait_ms=SHORT_MS))
    yield producer.end()


@scenario()
def committed_fetch_of_several_partitions(kafka: Kafka) -> Observations:
    """A marker in one partition wakes a fetch of several partitions."""
    topic, producer, other = kafka.topic(2), Producer(kafka), Producer(kafka)
    producer.produce(topic, "a")
    other.produce(topic, "b", partition=1)
    parked = kafka.start(fetch(topic, {0: 0, 1: 0}, read_committed=True))
    yield "waits", parked.waits()
    yield other.end()
    yield parked


@scenario()
def last_stable_offset_of_several_transactions(kafka: Kafka) -> Observations:
    """It is the first offset of the oldest open transaction, or the high watermark."""
    topic, producers = kafka.topic(), [Producer(kafka) for _ in range(3)]
    for number, producer in enumerate(producers):
        producer.produce(topic, f"{number}")
        yield "open", number, _last_stable(kafka, topic)
    for number in (1, 0, 2):
        producers[number].complete(commit=number == 0)
        yield "ended", number, _last_stable(kafka, topic)
    yield kafka.request(fetch(topic, read_committed=True))


@scenario()
def isolation_in_old_versions(kafka: Kafka) -> Observations:
    """Every version has both isolation levels, the last stable offset and aborted transactions."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer.produce(topic, "a")
    producer.complete(commit=False)
    producer.produce(topic, "b")
    for version in (4, 5, 7, 10, 11, 12):
        for read_committed in (True, False):
            for offset in (0, 1, 2, 3):
                requested = fetch(topic, offset, read_committed=read_committed, max_wait_ms=0)
                yield version, read_committed, offset, kafka.request(requested, version)


@scenario()
def aborted_transactions_of_a_fetch(kafka: Kafka) -> Observations:
    """The list covers all up to the next entry of the offset index, in the order of markers."""
    topic = kafka.topic()
    first, second, third = (Producer(kafka) for _ in range(3))
    first.produce(topic, "a")
    second.produce(topic, "b")
    second.complete(commit=False)
    first.complete(commit=False)
    third.produce(topic, "c")
    second.produce(topic, "d")
    second.complete(commit=False)
    for offset in range(8):
        small = fetch(topic, offset, read_committed=True, partition_max_bytes=1, max_wait_ms=0)
        yield offset, kafka.request(small)
    third.complete()
    yield "to the end", kafka.request(fetch(topic, read_committed=True))


@scenario()
def aborted_transactions_by_the_index(kafka: Kafka) -> Observations:
    """An entry of the offset index after the returned records bounds the list."""
    topic, producer = kafka.topic(index_interval_bytes="100"), Producer(kafka)
    for letter in "abcde":
        producer.produce(topic, letter * 15)
        producer.complete(commit=letter == "c")
    for offset in range(10):
        small = fetch(topic, offset, read_committed=True, partition_max_bytes=1, max_wait_ms=0)
        yield offset, kafka.request(small)
    yield kafka.request(fetch(topic, 3, read_committed=True, partition_max_bytes=400))


@scenario()
def aborted_transactions_over_segments(kafka: Kafka) -> Observations:
    """A transaction is listed from the segment of its records to the segment of its marker."""
    topic = kafka.topic(segment_bytes=str(1 << 20))
    first, second = Producer(kafka), Producer(kafka)
    first.produce(topic, "a" * 700_000)
    second.produce(topic, "b" * 700_000)
    first.produce(topic, "c" * 700_000)
    first.complete(commit=False)
    second.complete(commit=False)
    for offset in range(5):
        yield (
            offset,
            kafka.request(fetch(topic, offset, read_committed=True, partition_max_bytes=10 << 20)),
        )
    files = kafka.system.partition_files(topic, 0)
    yield sorted(name for name in files if name.endswith((".log", ".txnindex")))


@scenario()
def markers_roll_segments(kafka: Kafka) -> Observations:
    """A marker has the broker's time, so after old records it starts a new segment."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer.produce(topic, "a", at=TIME_MS)
    producer.complete(commit=False)
    producer.produce(topic, "b", at=TIME_MS)
    producer.complete(commit=False)
    files = kafka.system.partition_files(topic, 0)
    yield sorted(name for name in files if name.endswith((".log", ".txnindex")))
    for offset in range(4):
        yield offset, kafka.request(fetch(topic, offset, read_committed=True))


@scenario()
def files_of_transactions(kafka: Kafka) -> Observations:
    """The transaction index has an entry for each aborted transaction."""
    topic, first, second = kafka.topic(), Producer(kafka), Producer(kafka)
    yield "empty", _indexes(kafka, topic)
    first.produce(topic, "a")
    second.produce(topic, "b")
    second.complete()
    yield "committed", _indexes(kafka, topic)
    second.produce(topic, "c")
    second.complete(commit=False)
    first.complete(commit=False)
    (index,) = _indexes(kafka, topic).values()
    yield [_without_ids(index[at : at + 34]) for at in range(0, len(index), 34)]


@scenario()
def list_offsets_of_transactions(kafka: Kafka) -> Observations:
    """The end is the last stable offset for read_committed; times above it are not found."""
    topic, producer = kafka.topic(), Producer(kafka)
    kafka.request(produce(topic, batch("a")))
    times = (EARLIEST, LATEST, MAX_TIMESTAMP, TIME_MS, TIME_MS + 1)
    for step in ("empty", "open", "committed"):
        if step == "open":
            producer.produce(topic, "b", at=TIME_MS + 5000)
        if step == "committed":
            producer.complete()
        for timestamp in times:
            for read_committed in (True, False):
                requested = list_offsets(topic, timestamp, read_committed=read_committed)
                response = kafka.request(requested)
                yield step, timestamp, read_committed, response
    for version in (2, 5, 7):
        requested = list_offsets(topic, LATEST, read_committed=True)
        yield version, kafka.request(requested, version)


@scenario()
def records_of_an_open_transaction_are_deleted(kafka: Kafka) -> Observations:
    """DeleteRecords may delete the first records of an open transaction."""
    topic, producer = kafka.topic(), Producer(kafka)
    for letter in "abc":
        producer.produce(topic, letter)
    yield kafka.request(delete_records(topic, {0: 2}))
    yield kafka.request(fetch(topic, 2, read_committed=True, max_wait_ms=0))
    yield kafka.request(list_offsets(topic, LATEST, read_committed=True))
    yield kafka.request(describe_producers(topic, 0))
    producer.produce(topic, "d")
    producer.complete(commit=False)
    yield kafka.request(fetch(topic, 2, read_committed=True))
    yield kafka.request(delete_records(topic, {0: -1}))
    yield kafka.request(fetch(topic, 5, read_committed=True, max_wait_ms=0))


@scenario()
def committed_fetch_wakes_when_its_topic_is_deleted(kafka: Kafka) -> Observations:
    """The deletion of the topic of an open transaction ends the wait."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer.produce(topic, "a")
    parked = kafka.start(fetch(topic, read_committed=True))
    yield "waits", parked.waits()
    kafka.request(delete_topics(topic))
    yield parked
    yield producer.end(commit=False), producer.settle()


@scenario()
def committed_fetch_sessions(kafka: Kafka) -> Observations:
    """In a session, a move of the last stable offset alone is reported at the next response."""
    topic, producer = kafka.topic(), Producer(kafka)
    opened = kafka.request(fetch(topic, read_committed=True, session=(0, 0), max_wait_ms=0))
    session = opened.session_id
    yield opened
    producer.produce(topic, "a")
    for epoch in (1, 2):
        yield kafka.request(
            fetch(topic, {}, read_committed=True, session=(session, epoch), max_wait_ms=0)
        )
    producer.complete()
    yield kafka.request(fetch(topic, {}, read_committed=True, session=(session, 3), max_wait_ms=0))


@scenario()
def markers_count_as_records(kafka: Kafka) -> Observations:
    """Markers occupy offsets, and empty transactions of the old protocol leave only markers."""
    topic, producer = kafka.topic(), Producer(kafka, OLD)
    for commit in (True, False, True):
        producer.add({topic: [0]})
        producer.complete(commit=commit)
    yield kafka.request(fetch(topic, read_committed=True))
    yield kafka.request(list_offsets(topic, LATEST))
    yield kafka.request(describe_producers(topic, 0))


def _last_stable(kafka: Kafka, topic: str) -> tuple[int, int]:
    (partition,) = kafka.request(fetch(topic, max_wait_ms=0)).responses[0].partitions
    return partition.last_stable_offset, partition.high_watermark


def _indexes(kafka: Kafka, topic: str) -> dict[str, bytes]:
    files = kafka.system.partition_files(topic, 0)
    return {name: content for name, content in files.items() if name.endswith(".txnindex")}


def _without_ids(entry: bytes) -> bytes:
    """An entry of the index without the producer id."""
    return entry[:2] + entry[10:]
