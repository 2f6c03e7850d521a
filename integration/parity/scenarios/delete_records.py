"""DeleteRecords: the log start offset moves, and earlier fetches are out of range."""

from __future__ import annotations

from integration.parity.admin_requests import delete_records
from integration.parity.formatting import by_partition
from integration.parity.requests import EARLIEST, SHORT_MS, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario


@scenario()
def records_are_deleted(kafka: Kafka) -> Observations:
    """With one replica it completes at once; an offset above the log end is an error."""
    topic = _with_records(kafka)
    for before in (2, 1, 0, 2, 7, -2, 4, -1):
        yield before, kafka.start(delete_records(topic, {0: before}))
    yield kafka.request(list_offsets(topic, EARLIEST))


@scenario()
def records_deleted_are_out_of_range(kafka: Kafka) -> Observations:
    """A fetch below the new log start is out of range, a fetch at it is not."""
    topic = _with_records(kafka)
    kafka.request(delete_records(topic, {0: 3}))
    for offset in (0, 2, 3):
        yield offset, kafka.request(fetch(topic, offset, max_wait_ms=0))


@scenario()
def records_by_cleanup_policy(kafka: Kafka) -> Observations:
    """Only a topic with the policy compact is refused."""
    for policy in ("", "delete", "compact", "compact,delete"):
        topic = kafka.topic(cleanup_policy=policy)
        kafka.request(produce(topic, batch("a")))
        for before in (1, 2):
            yield policy, before, kafka.request(delete_records(topic, {0: before}))


@scenario()
def records_of_unknown_partitions(kafka: Kafka) -> Observations:
    """Each partition has its own result; an unknown one has no low watermark."""
    topic = _with_records(kafka)
    yield by_partition(kafka.request(delete_records(topic, {0: 2, 5: 0})))
    yield kafka.request(delete_records(kafka.new_name("unknown"), {0: 0}))
    yield kafka.request(delete_records("__consumer_offsets", {0: 0}))


@scenario()
def records_deleted_under_a_parked_fetch(kafka: Kafka) -> Observations:
    """A parked fetch is not woken when its offset is deleted."""
    topic = _with_records(kafka)
    parked = kafka.start(fetch(topic, 5, max_wait_ms=SHORT_MS))
    low = kafka.start(fetch(topic, 1, min_bytes=100_000, max_wait_ms=SHORT_MS))
    yield "both wait", parked.waits(), low.waits()
    kafka.request(delete_records(topic, {0: 3}))
    yield "at the end", parked
    yield "below", low


@scenario()
def records_deleted_in_the_middle_of_a_batch(kafka: Kafka) -> Observations:
    """The log start may be within a batch, which is still returned completely."""
    topic = kafka.topic()
    kafka.request(produce(topic, batch("a", "b", "c", "d")))
    yield kafka.request(delete_records(topic, {0: 2}))
    yield kafka.request(fetch(topic, 2))
    yield kafka.request(list_offsets(topic, EARLIEST))
    yield kafka.request(list_offsets(topic, 0))


def _with_records(kafka: Kafka) -> str:
    topic = kafka.topic()
    for value in "abcde":
        kafka.request(produce(topic, batch(value)))
    return topic
