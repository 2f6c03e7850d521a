"""EndTxn: its outcomes by state, epoch and version, and what it changes."""

from __future__ import annotations

from integration.parity.admin_requests import delete_topics
from integration.parity.requests import fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import Identity, describe_producers, end_txn
from integration.parity.transactional_producer import NEW, OLD, Producer


@scenario()
def transactions_are_committed(kafka: Kafka) -> Observations:
    """After a commit its records are visible; the new protocol returns the next epoch."""
    for versions in (OLD, NEW):
        topic, producer = kafka.topic(), Producer(kafka, versions)
        if versions is OLD:
            yield producer.add({topic: [0]})
        yield producer.produce(topic, "a")
        yield producer.produce(topic, "b")
        yield "open", kafka.request(fetch(topic, read_committed=True, max_wait_ms=0))
        yield producer.describe()
        yield producer.end(), producer.settle()
        yield kafka.request(fetch(topic, read_committed=True))
        yield producer.describe()


@scenario()
def transactions_are_aborted(kafka: Kafka) -> Observations:
    """After an abort the fetch names the transaction, so that consumers skip its records."""
    for versions in (OLD, NEW):
        topic, producer = kafka.topic(), Producer(kafka, versions)
        if versions is OLD:
            yield producer.add({topic: [0]})
        yield producer.produce(topic, "a")
        yield producer.end(commit=False), producer.settle()
        yield kafka.request(fetch(topic, read_committed=True))
        yield kafka.request(fetch(topic))
        yield producer.describe()


@scenario()
def old_ends_by_state(kafka: Kafka) -> Observations:
    """Until v4, a repeated end has the same outcome; others are INVALID_TXN_STATE."""
    topic, producer = kafka.topic(), Producer(kafka, OLD)
    for version in range(5):
        yield (
            version,
            "empty",
            producer.end(version=version),
            producer.end(commit=False, version=version),
        )
    for commit in (True, False):
        yield producer.add({topic: [0]}), producer.produce(topic, "a")
        yield producer.end(commit=commit), producer.settle()
        for version in range(5):
            yield (
                version,
                commit,
                producer.end(version=version),
                producer.end(commit=False, version=version),
            )


@scenario()
def new_ends_by_state_and_epoch(kafka: Kafka) -> Observations:
    """In v5, the last epoch repeats the end, and the present one ends the next transaction."""
    topic, producer = kafka.topic(), Producer(kafka)
    yield "empty, commit", producer.end()
    for commit in (True, False):
        last = producer.identity
        producer.produce(topic, "a").response()
        yield "end", commit, producer.end(commit=commit), producer.settle()
        for again in (True, False):
            yield "the last epoch", again, producer.ask(_end(producer, last, commit=again))
        yield "the present epoch, commit", producer.ask(_end(producer, producer.identity))
        present = producer.identity
        yield "the present epoch, abort", producer.end(commit=False), producer.settle()
        for again in (True, False):
            yield "repeated", again, producer.ask(_end(producer, present, commit=again))
    yield kafka.request(fetch(topic))


@scenario()
def new_ends_of_open_transactions_by_epoch(kafka: Kafka) -> Observations:
    """An open transaction has no last epoch: all but the present one are fenced."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer.complete(commit=False)
    producer.produce(topic, "a").response()
    producer_id, epoch = producer.identity
    for wrong in (epoch - 1, epoch + 1, -1, 32_767):
        for commit in (True, False):
            sent = _end(producer, Identity(producer_id, wrong), commit=commit)
            yield wrong, commit, producer.ask(sent)
    yield producer.end()


@scenario()
def nothing_is_aborted(kafka: Kafka) -> Observations:
    """An abort without a transaction (v5) writes no marker, and changes the epoch each time."""
    producer = Producer(kafka)
    for _ in range(3):
        yield producer.end(commit=False), producer.settle(), producer.describe()
    yield producer.end()


@scenario()
def ends_of_other_producers(kafka: Kafka) -> Observations:
    """EndTxn of unknown transactional ids, other producer ids and other epochs, by version."""
    producer = Producer(kafka)
    producer_id, epoch = producer.identity
    unknown = kafka.new_name("transaction")
    for version in range(6):
        for commit in (True, False):
            yield (
                version,
                "unknown",
                producer.ask(end_txn(unknown, producer.identity, commit=commit), version),
            )
            for other in ((producer_id + 10_000, epoch), (producer_id, 5), (producer_id, -1)):
                sent = _end(producer, Identity(*other), commit=commit)
                yield version, other[1], producer.ask(sent, version)
        yield version, "empty", producer.ask(end_txn("", producer.identity, commit=True), version)


@scenario()
def new_epochs_are_used(kafka: Kafka) -> Observations:
    """After EndTxn v5, the old epoch is fenced, and the new one starts with sequence 0."""
    topic, producer = kafka.topic(), Producer(kafka)
    producer.produce(topic, "a", "b").response()
    old = producer.identity
    producer.complete()
    yield "new", producer.produce(topic, "c")
    producer.identity = old
    yield "old", producer.produce(topic, "d"), producer.add({topic: [0]}), producer.init(known=old)
    yield producer.settle(), _producers(kafka, topic)


@scenario()
def old_epochs_are_kept(kafka: Kafka) -> Observations:
    """In the old protocol, the epoch and the sequence numbers continue in each transaction."""
    topic, producer = kafka.topic(), Producer(kafka, OLD)
    for commit in (True, False, True):
        producer.add({topic: [0]})
        yield producer.produce(topic, "a", "b"), producer.end(commit=commit), producer.settle()
        yield _producers(kafka, topic)


@scenario()
def protocols_alternate(kafka: Kafka) -> Observations:
    """A producer may use the other protocol in its next transaction."""
    topic, producer = kafka.topic(), Producer(kafka)
    for end in (5, 4, 5, 3, 4, 5):
        if end < 5:
            yield end, producer.add({topic: [0]})
        yield end, producer.produce(topic, "a"), producer.end(version=end), producer.settle()
        yield _producers(kafka, topic)


@scenario()
def transactions_span_partitions(kafka: Kafka) -> Observations:
    """Each partition of a transaction gets one marker, also those without records."""
    first, second = kafka.topic(3), kafka.topic()
    for commit in (True, False):
        producer = Producer(kafka)
        yield producer.produce(first, "a"), producer.produce(first, "b", partition=2)
        yield producer.produce(second, "c")
        yield producer.add({first: [1]})
        yield producer.describe()
        yield producer.end(commit=commit), producer.settle()
        for partition in range(3):
            yield partition, kafka.request(fetch(first, {partition: 0}, max_wait_ms=0))
        yield kafka.request(fetch(second, read_committed=True))


@scenario()
def topics_are_deleted_during_a_transaction(kafka: Kafka) -> Observations:
    """A transaction whose topic was deleted is committed in the other partitions."""
    doomed, kept = kafka.topic(), kafka.topic()
    producer = Producer(kafka)
    yield producer.produce(doomed, "a"), producer.produce(kept, "b")
    kafka.request(delete_topics(doomed))
    yield producer.end(), producer.settle()
    yield kafka.request(fetch(kept, read_committed=True))


def _end(producer: Producer, identity: Identity, *, commit: bool = True) -> object:
    return end_txn(producer.transactional_id, identity, commit=commit)


def _producers(kafka: Kafka, topic: str) -> object:
    return kafka.request(describe_producers(topic, 0))
