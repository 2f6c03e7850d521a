"""WriteTxnMarkers: what a leader accepts, and the effect on transactions and groups."""

from __future__ import annotations

from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.group_requests import committed
from integration.parity.requests import fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import (
    Identity,
    Partitions,
    add_in_batch,
    describe_producers,
    end_txn,
    in_batch,
    init_producer_id,
    list_transactions,
    marker,
    write_markers,
)
from integration.parity.transactional_producer import OLD, Producer

LATE_EPOCH = 1000  # of a coordinator
ABSENT = Identity(900_700, 3)


@scenario()
def markers_are_checked_by_epoch(kafka: Kafka) -> Observations:
    """In transactions v2, a marker that ends a transaction has a later epoch than its records."""
    for version in (0, 1, 2):
        topic, producer = kafka.topic(), Producer(kafka)
        producer.init()
        for epoch in (0, 1, 1, 2):
            producer.produce(topic, "a")
            identity = Identity(producer.identity.producer_id, epoch)
            for commit in (False, True):
                sent = marker(identity, {topic: [0]}, commit=commit, transaction_version=version)
                yield version, epoch, kafka.request(write_markers(sent))
            yield kafka.request(describe_producers(topic, 0))
        yield kafka.request(fetch(topic, read_committed=True, max_wait_ms=0))


@scenario()
def markers_are_checked_by_coordinator(kafka: Kafka) -> Observations:
    """A coordinator of an earlier epoch is fenced in each partition where a later one wrote."""
    topic = kafka.topic(2)
    for version, transaction_version in ((1, 0), (2, 0), (2, 2)):
        for coordinator_epoch in (5, 4, 5, 6, -1):
            sent = marker(
                Identity(900_710 + version + transaction_version, 1),
                {topic: [0]},
                coordinator_epoch=coordinator_epoch,
                transaction_version=transaction_version,
            )
            yield version, coordinator_epoch, kafka.request(write_markers(sent), version)
    yield _producers(kafka, topic, 0)


@scenario()
def markers_of_unknown_producers(kafka: Kafka) -> Observations:
    """A marker of a producer without records is appended, and its epoch is kept."""
    topic = kafka.topic()
    for identity in (ABSENT, Identity(-1, -1), Identity(900_701, -1), Identity(900_702, 32_767)):
        for transaction_version in (0, 2):
            sent = marker(identity, {topic: [0]}, transaction_version=transaction_version)
            yield identity, transaction_version, kafka.request(write_markers(sent))
    yield kafka.request(fetch(topic, max_wait_ms=0))
    yield _producers(kafka, topic, 0)


@scenario()
def markers_of_unknown_partitions(kafka: Kafka) -> Observations:
    """Partitions that are not here have an error, others get their marker."""
    topic, unknown = kafka.topic(), kafka.new_name("unknown")
    named: tuple[Partitions, ...] = (
        {topic: [0, 7]},
        {topic: [0], unknown: [0, 1]},
        {unknown: [0]},
        {topic: []},
        {},
        {"": [0]},
    )
    for version in (1, 2):
        for partitions in named:
            response = kafka.request(write_markers(marker(ABSENT, partitions)), version)
            _sort(response)
            yield version, response
        yield version, kafka.request(write_markers(), version)
    yield kafka.request(fetch(topic))


@scenario()
def many_markers_in_a_request(kafka: Kafka) -> Observations:
    """Results are by producer id, also if it occurs several times."""
    topic = kafka.topic(3)
    first, second = Identity(900_720, 1), Identity(900_721, 1)
    response = kafka.request(
        write_markers(
            marker(first, {topic: [0, 1]}),
            marker(second, {topic: [0]}, commit=False),
            marker(first, {topic: [2]}, commit=False),
        )
    )
    _sort(response)
    yield response
    for partition in range(3):
        yield kafka.request(fetch(topic, {partition: 0}))


@scenario()
def repeated_markers(kafka: Kafka) -> Observations:
    """A marker that is sent again is appended again, without another effect."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer.produce(topic, "a")
    producer.complete(commit=False)
    for _ in range(2):
        sent = marker(producer.identity, {topic: [0]}, commit=False, transaction_version=2)
        yield kafka.request(write_markers(sent))
    yield kafka.request(fetch(topic, read_committed=True))
    producer.produce(topic, "b")
    yield "late", kafka.request(write_markers(sent))
    yield kafka.request(fetch(topic, 4, read_committed=True, max_wait_ms=0))
    producer.complete()
    yield kafka.request(fetch(topic, 4, read_committed=True))


@scenario()
def late_markers_end_old_transactions(kafka: Kafka) -> Observations:
    """In the old protocol, a late marker ends the next transaction of its producer."""
    topic, producer = kafka.topic(), Producer(kafka, OLD)
    for commit in (False, True):
        producer.add({topic: [0]})
        producer.produce(topic, "a")
        late = marker(producer.identity, {topic: [0]}, commit=not commit)
        yield kafka.request(write_markers(late))
        yield kafka.request(fetch(topic, read_committed=True))
        producer.complete(commit=commit)
        yield kafka.request(fetch(topic, read_committed=True))


@scenario()
def transactions_are_aborted_by_an_administrator(kafka: Kafka) -> Observations:
    """The producer is not affected: its later records are committed by its own end."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer.produce(topic, "a")
    (described,) = kafka.request(describe_producers(topic, 0)).topics[0].partitions
    (state,) = described.active_producers
    yield state
    aborting = marker(Identity(state.producer_id, state.producer_epoch), {topic: [0]}, commit=False)
    yield kafka.request(write_markers(aborting), 1)
    yield kafka.request(fetch(topic, read_committed=True))
    yield producer.describe()
    yield producer.produce(topic, "b")
    yield producer.end(), producer.settle()
    yield kafka.request(fetch(topic, read_committed=True))


@scenario()
def markers_for_groups(kafka: Kafka) -> Observations:
    """A marker in the partition of the offsets topic commits or aborts the pending offsets."""
    topic, group = kafka.topic(), kafka.new_name("group")
    for commit, version in ((False, 2), (True, 2), (True, 0)):
        producer = Producer(kafka)
        yield producer.commit_offsets(group, topic, {0: 5 + version})
        producer_id, epoch = producer.identity
        for each in (epoch - 1, epoch, epoch + 1):
            sent = marker(
                Identity(producer_id, each),
                {"__consumer_offsets": [0], topic: [0]},
                commit=commit,
                transaction_version=version,
            )
            response = kafka.request(write_markers(sent))
            _sort(response)
            yield each, response
            yield kafka.request(committed(group, {topic: [0]}, require_stable=True))


@scenario()
def refused_markers_are_not_repeated(kafka: Kafka) -> Observations:
    """If a partition refuses the marker, the transaction does not end, and its id is not usable."""
    topic, producer = kafka.topic(2), Producer(kafka)
    group = kafka.new_name("group")
    before = producer.identity
    producer.produce(topic, "a")
    producer.produce(topic, "b", partition=1)
    _fence(kafka, topic, producer)
    yield producer.end()
    yield from _until_one_is_left(producer)
    yield "healthy", kafka.request(fetch(topic, {1: 0}, read_committed=True))
    for known in (Identity(-1, -1), before, producer.identity):
        for version in (0, 5):
            yield (
                "init",
                version,
                producer.ask(init_producer_id(producer.transactional_id, known=known), version),
            )
    for identity in (before, producer.identity):
        for version in (0, 4, 5):
            for commit in (True, False):
                ending = end_txn(producer.transactional_id, identity, commit=commit)
                yield "end", identity.epoch, version, commit, producer.ask(ending, version)
    for version in (0, 3):
        yield "add", version, producer.add({topic: [0]}, version)
    yield "add offsets", producer.add_offsets(group)
    for version in (0, 3, 4, 5):
        yield (
            "commit offsets",
            version,
            producer.commit_offsets(group, topic, {0: 5}, version=version),
        )
    for verify in (True, False):
        batched = in_batch(
            producer.transactional_id, producer.identity, {topic: [0]}, verify=verify
        )
        yield "batch", verify, producer.ask(add_in_batch(batched))
    yield producer.describe()


@scenario()
def produces_wait_for_markers(kafka: Kafka) -> Observations:
    """A produce of the next transaction is retried for 100 ms, and an old one is not."""
    topic, producer = kafka.topic(2), Producer(kafka)
    producer.produce(topic, "a")
    _fence(kafka, topic, producer)
    yield producer.end()
    for version in (3, 10, 11, 12):
        pending = producer.start(topic, "b", partition=1, version=version)
        pending.response()
        yield version, pending, version < 12 or pending.wait.reached(0, 100)


@scenario()
def partitions_without_marker_accept_records(kafka: Kafka) -> Observations:
    """While markers are missing, a partition that is in the transaction accepts more records."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer.produce(topic, "a")
    _fence(kafka, topic, producer)
    yield producer.produce(topic, "b")
    more = producer.batches(topic, {0: ("c",)})
    yield producer.end()
    yield kafka.request(more)
    yield kafka.request(fetch(topic, read_committed=True, max_wait_ms=0))
    yield kafka.request(describe_producers(topic, 0))


@scenario()
def refused_transactions_are_listed(kafka: Kafka) -> Observations:
    """A transaction whose markers are missing is listed by its state."""
    for commit in (True, False):
        topic, producer = kafka.topic(), Producer(kafka)
        producer.produce(topic, "a")
        _fence(kafka, topic, producer)
        yield producer.end(commit=commit)
        found = producer.ask(
            list_transactions(
                states=["PrepareCommit", "PrepareAbort"],
                producer_ids=[producer.identity.producer_id],
            )
        )
        yield found, producer.describe()


def _fence(kafka: Kafka, topic: str, producer: Producer) -> None:
    """Let a later coordinator write in partition 0, which has an open transaction again after it.

    So the partition refuses the marker of the real coordinator.
    """
    late = marker(
        Identity(producer.identity.producer_id, producer.identity.epoch),
        {topic: [0]},
        coordinator_epoch=LATE_EPOCH,
    )
    response = kafka.request(write_markers(late))
    assert response.markers[0].topics[0].partitions[0].error_code == 0, response
    producer.produce(topic, "again").response()


def _until_one_is_left(producer: Producer) -> Observations:
    """Wait until only the refused partition is described."""

    def one_is_left() -> bool:
        return [list(each.partitions) for each in producer.describe().topics] == [[0]]

    eventually(one_is_left, "one partition without marker")
    yield producer.describe()


def _producers(kafka: Kafka, topic: str, partition: int) -> Any:
    response = kafka.request(describe_producers(topic, partition))
    response.topics[0].partitions[0].active_producers.sort(key=lambda each: each.producer_id)
    return response


def _sort(response: Any) -> None:
    """Sort the results, which Kafka collects in hash tables."""
    response.markers.sort(key=lambda each: each.producer_id)
    for result in response.markers:
        result.topics.sort(key=lambda each: each.name)
        for topic in result.topics:
            topic.partitions.sort(key=lambda each: each.partition_index)
