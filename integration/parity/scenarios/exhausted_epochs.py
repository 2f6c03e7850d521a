"""Transactional ids whose epochs are exhausted, so that they get a new producer id."""

from __future__ import annotations

from integration.parity.requests import fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import (
    Identity,
    describe_producers,
    end_txn,
    init_producer_id,
)
from integration.parity.transactional_producer import Producer

LAST_EPOCH = 2**15 - 2  # the highest epoch of a producer; the one above it is for markers
_AT_ONCE = 500


@scenario(slow=True)
def idle_ids_with_exhausted_epochs(kafka: Kafka) -> Observations:
    """InitProducerId returns a new producer id, also to a repeated request."""
    producer = _exhausted(kafka)
    old = producer.identity
    yield old.epoch, producer.describe()
    earlier = Identity(old.producer_id, LAST_EPOCH - 1)
    yield producer.init(known=earlier)
    yield producer.init(known=old), producer.init(known=old)
    yield producer.init(known=earlier), producer.init(), producer.describe()


@scenario(slow=True)
def transactions_with_exhausted_epochs(kafka: Kafka) -> Observations:
    """The marker has the epoch above the last one, and the end returns a new producer id."""
    topic, producer = kafka.topic(), _exhausted(kafka)
    old = producer.identity
    yield producer.produce(topic, "a")
    yield producer.end(), producer.settle(), producer.describe()
    for version in (4, 5):
        for commit in (True, False):
            ending = end_txn(producer.transactional_id, old, commit=commit)
            yield version, commit, producer.ask(ending, version)
    yield producer.produce(topic, "b"), producer.end(commit=False), producer.settle()
    yield "repeated later", producer.ask(end_txn(producer.transactional_id, old, commit=True))
    yield kafka.request(fetch(topic, read_committed=True))
    response = kafka.request(describe_producers(topic, 0))
    response.topics[0].partitions[0].active_producers.sort(key=lambda each: each.producer_epoch)
    yield response


@scenario(slow=True)
def fences_with_exhausted_epochs(kafka: Kafka) -> Observations:
    """The abort of an open transaction uses the epoch above the last one, too."""
    topic, producer = kafka.topic(), _exhausted(kafka)
    old = producer.identity
    yield producer.produce(topic, "a")
    yield producer.init(), producer.settle(), producer.describe()
    yield producer.init(known=old), producer.init()
    yield producer.produce(topic, "b"), producer.end(), producer.settle()
    yield kafka.request(fetch(topic, read_committed=True))


def _exhausted(kafka: Kafka) -> Producer:
    """A producer with the last epoch, after one InitProducerId for each epoch."""
    producer = Producer(kafka)
    client = kafka.connect(producer.node)
    requested = init_producer_id(producer.transactional_id)
    for begin in range(0, LAST_EPOCH, _AT_ONCE):
        sent = [client.start(requested) for _ in range(min(_AT_ONCE, LAST_EPOCH - begin))]
        for pending in sent:
            assert pending.response().error_code == 0, pending.response()
    producer.identity = Identity(producer.identity.producer_id, LAST_EPOCH)
    return producer
