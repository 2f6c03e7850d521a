"""DescribeTransactions, ListTransactions and DescribeProducers."""

from __future__ import annotations

from typing import Any

from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import (
    describe_producers,
    describe_transactions,
    list_transactions,
)
from integration.parity.transactional_producer import Producer


@scenario()
def transactions_are_described(kafka: Kafka) -> Observations:
    """DescribeTransactions of several ids, unknown ones, and empty ones."""
    topic, producer = kafka.topic(2), Producer(kafka, timeout_ms=12_345)
    idle, unknown = Producer(kafka), kafka.new_name("transaction")
    producer.produce(topic, "a", partition=1)
    producer.add({topic: [0]})
    producer.commit_offsets(kafka.new_name("group"), topic, {0: 1})
    yield producer.describe()
    requested = describe_transactions(idle.transactional_id, unknown, "", idle.transactional_id)
    response = kafka.request(requested)
    response.transaction_states.sort(key=lambda each: (each.transactional_id, each.error_code))
    yield response
    yield kafka.request(describe_transactions())
    producer.complete(commit=False)
    yield producer.describe()
    producer.init()
    yield producer.describe()


@scenario()
def transactions_are_listed(kafka: Kafka) -> Observations:
    """ListTransactions by state, producer id, duration and pattern."""
    topic = kafka.topic()
    idle, ongoing, committed, aborted = (Producer(kafka) for _ in range(4))
    ongoing.produce(topic, "a")
    committed.add({topic: [0]})
    committed.complete()
    aborted.complete(commit=False)
    ours = idle.transactional_id.removesuffix("-1").rstrip("0123456789")
    for version in range(3):
        yield version, _listed(kafka, list_transactions(), version, ours)
    for states in (
        ["Ongoing"],
        ["Empty", "CompleteAbort"],
        ["Unknown", "Ongoing"],
        ["Unknown", "other"],
        ["ongoing"],
        ["Dead"],
        [""],
    ):
        yield states, _listed(kafka, list_transactions(states=states), 2, ours)
    known = ongoing.identity.producer_id
    for ids in ([known], [known, -1], [987_654_321], [known, idle.identity.producer_id]):
        found = _listed(kafka, list_transactions(producer_ids=ids), 2, ours)
        yield len(ids), found
    both = list_transactions(producer_ids=[known], states=["Empty"])
    yield "both", _listed(kafka, both, 2, ours)


@scenario()
def transactions_are_listed_by_duration(kafka: Kafka) -> Observations:
    """A duration selects older transactions, and all that are not open."""
    topic = kafka.topic()
    idle, ongoing = Producer(kafka), Producer(kafka)
    ours = idle.transactional_id.removesuffix("-1").rstrip("0123456789")
    ongoing.produce(topic, "a")
    kafka.pass_time(kafka.topic(), 50)
    for duration_ms in (-1, 0, 10_000_000, -2, 2**62):
        found = _listed(kafka, list_transactions(duration_ms=duration_ms), 2, ours)
        yield duration_ms, found
    yield "older", _listed(kafka, list_transactions(duration_ms=40), 1, ours)


@scenario()
def transactions_are_listed_by_pattern(kafka: Kafka) -> Observations:
    """A pattern must match the complete id; an invalid one is an error."""
    producers = [Producer(kafka) for _ in range(2)]
    first = producers[0].transactional_id
    ours = first.removesuffix("-1").rstrip("0123456789")
    for pattern in (first, f"{first}|x", "", "no-such", "[", "(", None):
        yield pattern, _listed(kafka, list_transactions(pattern=pattern), 2, ours)
    for what, pattern in (
        ("a part", first[:-1]),
        ("the rest", f"{first[:-1]}.*"),
        ("all", f"{ours}.*"),
    ):
        yield what, _listed(kafka, list_transactions(pattern=pattern), 2, ours)


@scenario()
def producers_of_transactions_are_described(kafka: Kafka) -> Observations:
    """DescribeProducers of idempotent and transactional producers, before and after the end."""
    topic, producer = kafka.topic(2), Producer(kafka)
    yield _described(kafka, topic)
    kafka.request(produce(topic, batch("a", producer=(900_800, 3, 0), at=1_700_000_000_000)))
    producer.produce(topic, "a", "b", "c")
    yield "open", _described(kafka, topic)
    producer.produce(topic, "d")
    yield "open", _described(kafka, topic)
    producer.complete()
    yield "ended", _described(kafka, topic)
    producer.produce(topic, "e")
    yield "open again", _described(kafka, topic)
    producer.init()
    producer.settle()
    yield "fenced", _described(kafka, topic)
    kafka.request(produce(topic, batch("f", producer=(*producer.identity, 0))))


def _listed(kafka: Kafka, request: Any, version: int, ours: str) -> Any:
    """The response with only our transactions, sorted."""
    response = kafka.request(request, version)
    response.transaction_states = sorted(
        (each for each in response.transaction_states if each.transactional_id.startswith(ours)),
        key=lambda each: each.transactional_id,
    )
    return response


def _described(kafka: Kafka, topic: str) -> Any:
    response = kafka.request(describe_producers(topic, 0, 1))
    for partition in response.topics[0].partitions:
        partition.active_producers.sort(key=lambda each: each.producer_epoch)
    response.topics[0].partitions.sort(key=lambda each: each.partition_index)
    return response
