"""ListOffsets: the ends of logs, offsets by timestamp, and errors."""

from __future__ import annotations

from integration.parity.admin_requests import delete_records
from integration.parity.formatting import by_partition
from integration.parity.requests import EARLIEST, LATEST, batch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario

MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING_UPLOAD = -3, -4, -5, -6
FAR_FUTURE_MS = 1 << 45


@scenario()
def ends_of_a_log(kafka: Kafka) -> Observations:
    """First, last and intermediate offsets of empty and non-empty logs, in all versions."""
    topic = kafka.topic()
    for _ in range(2):
        for version in range(1, 12):
            for at in (LATEST, EARLIEST, 0, 1500, 2000, 9000):
                yield version, at, kafka.request(list_offsets(topic, at), version)
        for at in (1000, 2000, 3000):
            kafka.request(produce(topic, batch("a", "b", at=at)))


@scenario()
def special_timestamps(kafka: Kafka) -> Observations:
    """The maximum timestamp (KIP-734), and the ends of tiered logs, which do not exist."""
    topic = kafka.topic()
    requested = (MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING_UPLOAD, -7)
    for _ in range(2):
        for at in requested:
            yield at, kafka.request(list_offsets(topic, at))
        for at in (5000, 9000, 7000):
            kafka.request(produce(topic, batch("a", "b", at=at)))


@scenario()
def special_timestamps_of_old_versions(kafka: Kafka) -> Observations:
    """A special timestamp is rejected in versions without it."""
    topic = kafka.topic()
    kafka.request(produce(topic, batch("a")))
    for version, at in ((6, -3), (7, -3), (7, -4), (8, -4), (8, -5), (9, -5), (10, -6), (11, -6)):
        yield version, at, kafka.request(list_offsets(topic, at), version)


@scenario()
def offsets_of_unknown_partitions(kafka: Kafka) -> Observations:
    """An unknown topic or partition has its error; others are not affected."""
    topic = kafka.topic()
    yield kafka.request(list_offsets(kafka.new_name("unknown"), LATEST))
    yield by_partition(kafka.request(list_offsets(topic, LATEST, LATEST)))


@scenario()
def offsets_with_leader_epochs(kafka: Kafka) -> Observations:
    """The leader's own epoch is accepted, an older one fenced, a newer one unknown."""
    topic = kafka.topic()
    for epoch in (-1, 0, 1):
        for at in (LATEST, 0):
            yield epoch, at, kafka.request(list_offsets(topic, at, leader_epoch=epoch))


@scenario()
def offsets_of_the_same_partition_twice(kafka: Kafka) -> Observations:
    """A partition that is named twice is rejected."""
    topic = kafka.topic()
    requested = list_offsets(topic, LATEST)
    requested.topics[0].partitions *= 2
    yield kafka.request(requested)


@scenario()
def offsets_by_isolation_level(kafka: Kafka) -> Observations:
    """Without transactions both isolation levels have the same end."""
    topic = kafka.topic()
    kafka.request(produce(topic, batch("a", "b")))
    for read_committed in (False, True):
        yield kafka.request(list_offsets(topic, LATEST, read_committed=read_committed))


@scenario()
def offsets_in_the_first_late_segment(kafka: Kafka) -> Observations:
    """Only the first segment with a late enough timestamp is searched, deleted records or not."""
    topic = kafka.topic(internal_segment_bytes="300")
    for value, at in (("a" * 120, 5000), ("b", 2000), *(("c" * 180, 7000 + i) for i in range(3))):
        kafka.request(produce(topic, batch(value, at=at)))
    for log_start in (0, 1, 2, 3):
        kafka.request(delete_records(topic, {0: log_start}))
        for at in (0, 2000, 3000, 5000, 6000, 7001, 9000, MAX_TIMESTAMP):
            yield log_start, at, kafka.request(list_offsets(topic, at))


@scenario()
def offsets_without_timestamps(kafka: Kafka) -> Observations:
    """A segment without timestamps is as late as its file; the maximum timestamp may be -1."""
    topic = kafka.topic(internal_segment_bytes="300")
    for after, at in enumerate((-1, -1, -1, 5000, 6000, 7000)):
        yield after, kafka.request(list_offsets(topic, MAX_TIMESTAMP))
        kafka.request(produce(topic, batch("c" * 180, at=at)))
    for at in (0, 5000, 6500, 9000, FAR_FUTURE_MS, MAX_TIMESTAMP):
        yield at, kafka.request(list_offsets(topic, at))
