"""Lower levels of the feature transaction.version, which is changed while the cluster runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from integration.machine.deadlines import eventually
from integration.parity.requests import SHORT_MS, fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import Identity, describe_producers, end_txn
from integration.parity.transactional_producer import OLD, Producer
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest

FEATURE = "transaction.version"
UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
NEWEST = 2


@scenario(alone=True)
def levels_of_transactions_are_changed(kafka: Kafka) -> Observations:
    """UpdateFeatures raises and lowers transaction.version, and ApiVersions returns its level."""
    yield _level(kafka)
    for level, kind in (
        (1, UPGRADE),
        (1, SAFE_DOWNGRADE),
        (1, UPGRADE),
        (0, SAFE_DOWNGRADE),
        (1, SAFE_DOWNGRADE),
        (1, UPGRADE),
        (0, UNSAFE_DOWNGRADE),
        (3, UPGRADE),
        (-1, SAFE_DOWNGRADE),
        (2, UPGRADE),
        (2, SAFE_DOWNGRADE),
    ):
        requested = FeatureUpdateKey(feature=FEATURE, max_version_level=level, upgrade_type=kind)
        for validate_only in (True, False):
            yield (
                level,
                kind,
                kafka.request(
                    UpdateFeaturesRequest(feature_updates=[requested], validate_only=validate_only),
                    2,
                ),
            )
        kafka.settle()
        yield _level(kafka)


@scenario(alone=True)
def transactions_at_level_1(kafka: Kafka) -> Observations:
    """A fence writes a marker of the old kind, and the fenced producer does not continue."""
    topic = kafka.topic()
    with _at_level(kafka, 1):
        producer = Producer(kafka, OLD)
        old = producer.identity
        producer.add({topic: [0]})
        yield producer.produce(topic, "a"), producer.end(), producer.settle()
        producer.add({topic: [0]})
        yield producer.produce(topic, "b")
        yield producer.init(), producer.settle()
        for version in (4, 5):
            for commit in (True, False):
                ending = end_txn(producer.transactional_id, old, commit=commit)
                yield version, commit, producer.ask(ending, version)
        yield producer.init(known=old), producer.init()
        yield "new requests", producer.produce(topic, "c", version=12)
        yield producer.end(version=5), producer.settle()
        yield kafka.request(fetch(topic, read_committed=True))
        yield kafka.request(describe_producers(topic, 0))
        yield producer.describe()


@scenario(alone=True)
def timeouts_at_level_1(kafka: Kafka) -> Observations:
    """The late producer is fenced by every request."""
    topic = kafka.topic()
    with _at_level(kafka, 1):
        producer = Producer(kafka, OLD, timeout_ms=SHORT_MS)
        old = producer.identity
        producer.add({topic: [0]})
        yield producer.produce(topic, "a")
        eventually(lambda: producer.describe().transaction_state == "CompleteAbort", "the abort")
        yield producer.describe(), producer.produce(topic, "b")
        for version in (1, 4, 5):
            for commit in (True, False):
                ending = end_txn(producer.transactional_id, old, commit=commit)
                yield version, commit, producer.ask(ending, version)
        yield producer.init(known=old), producer.init()
        yield kafka.request(fetch(topic, read_committed=True))


@scenario(alone=True)
def transactions_at_level_0(kafka: Kafka) -> Observations:
    """The state has the oldest format, in which the transactions of new requests do not fit."""
    topic = kafka.topic()
    with _at_level(kafka, 0):
        producer = Producer(kafka, OLD)
        old = producer.identity
        for commit in (True, False):
            producer.add({topic: [0]})
            yield producer.produce(topic, "a"), producer.end(commit=commit), producer.settle()
        yield (
            producer.init(known=old),
            producer.init(known=old),
            producer.init(known=Identity(1, 1)),
        )
        new = Producer(kafka)
        yield "new requests", new.produce(topic, "b"), new.describe()
        yield kafka.request(fetch(topic, read_committed=True))


@scenario(alone=True)
def new_requests_at_level_0(kafka: Kafka) -> Observations:
    """After a request whose transaction does not fit, the transactional id is not blocked."""
    with _at_level(kafka, 0):
        producer = Producer(kafka)
        producer.produce(kafka.topic(), "a")
        yield producer.init().error_code


@scenario(alone=True)
def levels_change_during_a_transaction(kafka: Kafka) -> Observations:
    """A transaction that began at one level ends at another."""
    topic = kafka.topic()
    for level in (1, 0):
        producer = Producer(kafka, OLD)
        producer.add({topic: [0]})
        producer.produce(topic, "a")
        with _at_level(kafka, level):
            yield producer.produce(topic, "b"), producer.end(), producer.settle()
            producer.add({topic: [0]})
            producer.produce(topic, "c")
        yield producer.produce(topic, "d", version=12), producer.end(version=5), producer.settle()
    yield kafka.request(fetch(topic, read_committed=True))


def _level(kafka: Kafka) -> int:
    """The finalized level; 0 if the feature is not listed."""
    requested = ApiVersionsRequest(client_software_name="x", client_software_version="1")
    response = kafka.request(requested, 3)
    levels = {each.name: each.max_version_level for each in response.finalized_features}
    level: int = levels.get(FEATURE, 0)
    return level


@contextmanager
def _at_level(kafka: Kafka, level: int) -> Iterator[None]:
    """Have a lower level, and the newest one afterwards."""
    _update(kafka, level, SAFE_DOWNGRADE)
    try:
        yield
    finally:
        _update(kafka, NEWEST, UPGRADE)


def _update(kafka: Kafka, level: int, kind: int) -> None:
    requested = FeatureUpdateKey(feature=FEATURE, max_version_level=level, upgrade_type=kind)
    response = kafka.request(UpdateFeaturesRequest(feature_updates=[requested]), 2)
    assert response.error_code == 0, response
    eventually(lambda: _level(kafka) == level, f"{FEATURE} {level}")
