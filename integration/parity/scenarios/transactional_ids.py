"""Transactional ids: InitProducerId, and the fencing of earlier producers."""

from __future__ import annotations

from integration.parity.requests import fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import Identity, end_txn, init_producer_id
from integration.parity.transactional_producer import OLD, Producer


@scenario()
def transactional_ids_are_initialised(kafka: Kafka) -> Observations:
    """The first InitProducerId returns epoch 0, each later one the next epoch, in every version."""
    producer = Producer(kafka, init=False)
    for version in range(6):
        yield version, producer.init(version)
    yield producer.describe()


@scenario()
def incomplete_producer_ids(kafka: Kafka) -> Observations:
    """A producer id needs an epoch, an epoch a producer id; a transactional id is not empty."""
    producer = Producer(kafka)
    for known in (Identity(5, -1), Identity(-1, 5), Identity(-2, -2)):
        yield known, producer.init(known=known)
    for version in (0, 3, 5):
        yield version, kafka.request(init_producer_id(""), version)


@scenario()
def transaction_timeouts_are_limited(kafka: Kafka) -> Observations:
    """A timeout is positive and at most transaction.max.timeout.ms, also of an empty id."""
    name = kafka.new_name("transaction")
    for timeout_ms in (0, -1, 900_001, 2**31 - 1, 900_000, 1):
        requested = init_producer_id(name, timeout_ms=timeout_ms)
        yield timeout_ms, kafka.request(requested)
    yield kafka.request(init_producer_id("", timeout_ms=0))


@scenario()
def producers_that_send_their_epoch(kafka: Kafka) -> Observations:
    """The present epoch is incremented, the last one returns the present one, others are fenced."""
    producer = Producer(kafka)
    first = producer.identity
    yield "the present", producer.init(known=first)
    yield "the last", producer.init(known=first), producer.init(known=first)
    second = producer.identity
    yield "the present", producer.init(known=second)
    for version in (3, 4, 5):
        yield "an older one", version, producer.init(version, known=first)
        for other in (Identity(second.producer_id, 9), Identity(second.producer_id + 10_000, 0)):
            yield "another one", version, producer.init(version, known=other)
    yield "without", producer.init()
    yield "there is no last one", producer.init(known=Identity(first.producer_id, 2))


@scenario()
def unknown_transactional_ids_take_no_epoch(kafka: Kafka) -> Observations:
    """The producer id and epoch of an unknown transactional id are replaced."""
    producer = Producer(kafka, init=False)
    yield producer.init(known=Identity(123_456, 7))
    yield producer.identity.producer_id == 123_456
    yield producer.init(known=Identity(123_456, 7))


@scenario()
def open_transactions_are_fenced(kafka: Kafka) -> Observations:
    """InitProducerId during a transaction aborts it and is CONCURRENT_TRANSACTIONS until then."""
    topic = kafka.topic()
    for version in (0, 4, 5):
        producer = Producer(kafka)
        old = producer.identity
        yield producer.produce(topic, "a")
        yield version, producer.init(version)
        yield producer.settle()
        yield version, producer.init(version)
        for request in (3, 4, 5):
            yield (
                "the old epoch",
                request,
                producer.ask(end_txn(producer.transactional_id, old, commit=True), request),
            )
    yield kafka.request(fetch(topic))


@scenario()
def open_transactions_are_fenced_by_their_producer(kafka: Kafka) -> Observations:
    """The epoch of the aborted transaction returns the epoch of its marker, each time."""
    topic = kafka.topic()
    for versions in (OLD,):
        producer = Producer(kafka, versions)
        known = producer.identity
        yield producer.add({topic: [0]})
        yield producer.produce(topic, "a")
        yield producer.init(known=known)
        yield producer.settle()
        yield producer.init(known=known), producer.init(known=known)
        yield producer.init()
    yield kafka.request(fetch(topic))


@scenario()
def fenced_producers_end_their_transaction(kafka: Kafka) -> Observations:
    """With the epoch before the fence, EndTxn v5 has the outcome of a repeated abort."""
    topic = kafka.topic()
    producer = Producer(kafka)
    old = producer.identity
    yield producer.produce(topic, "a")
    yield producer.init()
    yield producer.settle()
    for version in (1, 4, 5):
        for commit in (True, False):
            ending = end_txn(producer.transactional_id, old, commit=commit)
            yield version, commit, producer.ask(ending, version)
    yield producer.describe()


@scenario()
def transactional_ids_are_independent(kafka: Kafka) -> Observations:
    """Each transactional id has its own producer id, whatever its name is."""
    names = [
        kafka.new_name("transaction") + each for each in ("", " ", "ä", "€", "/../x", "x" * 200)
    ]
    producers = [Producer(kafka, transactional_id=name) for name in names]
    yield (
        len({each.identity.producer_id for each in producers}),
        [each.identity.epoch for each in producers],
    )
    yield [each.describe().transaction_state for each in producers]
