"""Share groups: records of transactions, which the group's isolation level may hide."""

from __future__ import annotations

from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE
from integration.parity.share_member import ShareGroup
from integration.parity.transactional_producer import Producer

LONG_MS = 20_000
WAIT_MS = 2000


@scenario(on=SHARE)
def share_reads_aborted_transactions(kafka: Kafka) -> Observations:
    """The records of aborted transactions are delivered by default, and the markers always."""
    for level in ("read_uncommitted", "read_committed"):
        group = ShareGroup(kafka, isolation_level=level)
        first, second = Producer(kafka), Producer(kafka)
        group.produce(2)
        first.produce(group.topic, "a", "b", "c")
        second.produce(group.topic, "d", "e")
        first.complete(commit=False)
        second.complete()
        group.produce(1)
        a = group.member("a")
        yield level, a.fetch()
        yield a.fetch(max_wait_ms=1)
        yield "aborted", a.acknowledge("2-4 accept")
        yield "marker", a.acknowledge("7-7 gap")
        yield "the others", a.acknowledge("0-1 accept", "5-6 accept", "8-9 accept")


@scenario(on=SHARE)
def share_waits_for_the_end_of_a_transaction(kafka: Kafka) -> Observations:
    """With read_committed, the marker of a commit or of an abort wakes a fetch."""
    group, producer = ShareGroup(kafka, isolation_level="read_committed"), Producer(kafka)
    a = group.member("a")
    yield a.fetch()
    for commit in (True, False):
        producer.produce(group.topic, "a", "b")
        group.produce(1)
        parked = a.start(max_wait_ms=LONG_MS)
        yield "waits", parked.waits()
        producer.complete(commit=commit)
        yield "commit" if commit else "abort", parked
        yield a.fetch(max_wait_ms=1)


@scenario(on=SHARE)
def share_reads_up_to_an_open_transaction(kafka: Kafka) -> Observations:
    """With read_committed, records after the beginning of a transaction are not acquired."""
    group, producer = ShareGroup(kafka, isolation_level="read_committed"), Producer(kafka)
    group.produce(3)
    producer.produce(group.topic, "a")
    group.produce(3)
    a = group.member("a")
    yield a.fetch()
    yield "open", a.fetch(max_wait_ms=1)
    group.set(isolation_level="read_uncommitted")
    yield "read_uncommitted", a.fetch()
    producer.complete(commit=False)
    yield a.fetch()
    yield a.acknowledge("0-6 release")
    group.set(isolation_level="read_committed")
    yield "aborted meanwhile", a.fetch()


@scenario(on=SHARE)
def share_reads_only_an_aborted_transaction(kafka: Kafka) -> Observations:
    """With read_committed, a fetch that finds aborted records and a marker gets the marker."""
    group, producer = ShareGroup(kafka, isolation_level="read_committed"), Producer(kafka)
    producer.produce(group.topic, "a", "b")
    producer.complete(commit=False)
    a = group.member("a")
    yield a.start(max_wait_ms=WAIT_MS)
    yield a.acknowledge("0-1 accept"), a.acknowledge("2-2 gap")
    group.produce(1)
    yield a.fetch()


@scenario(on=SHARE)
def share_begins_within_an_aborted_batch(kafka: Kafka) -> Observations:
    """The records of the batch are not delivered, and the next ones are."""
    group = ShareGroup(kafka, start_offset=5, isolation_level="read_committed")
    producer = Producer(kafka)
    producer.produce(group.topic, *"abcdefghij")
    producer.complete(commit=False)
    group.produce(5)
    yield "begins", group.member("a").fetch()
