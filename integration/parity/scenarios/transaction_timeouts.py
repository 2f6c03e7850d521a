"""Transactions that are open for too long, and transactional ids that are not used."""

from __future__ import annotations

from integration.machine.deadlines import eventually
from integration.parity.group_requests import committed
from integration.parity.requests import fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import EXPIRING, TRANSACTION_CHECK_MS
from integration.parity.transaction_requests import describe_transactions, end_txn
from integration.parity.transactional_producer import OLD, Producer

SHORT_TIMEOUT_MS = 2000
AFTER_MS = SHORT_TIMEOUT_MS + 2 * TRANSACTION_CHECK_MS + 5000


@scenario()
def transactions_time_out(kafka: Kafka) -> Observations:
    """A transaction is aborted after its timeout, which wakes fetches, and its epoch is fenced."""
    topic, producer = kafka.topic(), Producer(kafka, timeout_ms=SHORT_TIMEOUT_MS)
    producer.produce(topic, "a")
    parked = kafka.start(fetch(topic, read_committed=True))
    yield "waits", parked.waits()
    yield parked.response(), parked.wait.reached(SHORT_TIMEOUT_MS // 2, AFTER_MS)
    producer.settle()
    yield producer.describe()


@scenario()
def late_producers_after_a_timeout(kafka: Kafka) -> Observations:
    """All requests of the old epoch are fenced; an abort in v5 returns the new epoch."""
    topic, group = kafka.topic(), kafka.new_name("group")
    producer = Producer(kafka, timeout_ms=SHORT_TIMEOUT_MS)
    late = producer.identity
    producer.produce(topic, "a")
    _wait_for_the_abort(producer)
    yield producer.describe()
    for version in (3, 11, 12):
        yield "produce", version, producer.produce(topic, "b", version=version)
    for version in (0, 3):
        yield "add", version, producer.add({topic: [0]}, version)
    for version in (0, 3, 5):
        yield "offsets", version, producer.commit_offsets(group, topic, {0: 1}, version=version)
    for version in (1, 4, 5):
        for commit in (True, False):
            ending = end_txn(producer.transactional_id, late, commit=commit)
            yield "end", version, commit, producer.ask(ending, version)
    yield "init", producer.init(known=late), producer.init(known=late)
    yield producer.produce(topic, "c"), producer.end()


@scenario()
def transactions_of_the_old_protocol_time_out(kafka: Kafka) -> Observations:
    """Partitions without records get a marker, too, and the offsets are not committed."""
    topic, group = kafka.topic(2), kafka.new_name("group")
    producer = Producer(kafka, OLD, timeout_ms=SHORT_TIMEOUT_MS)
    producer.add({topic: [0, 1]})
    producer.produce(topic, "a")
    producer.add_offsets(group)
    producer.commit_offsets(group, topic, {0: 3})
    _wait_for_the_abort(producer)
    for partition in range(2):
        yield kafka.request(fetch(topic, {partition: 0}, read_committed=True))
    yield kafka.request(committed(group, {topic: [0]}, require_stable=True))
    yield producer.end(), producer.end(commit=False), producer.produce(topic, "b")
    yield producer.init(), producer.describe()


@scenario()
def idle_transactional_ids_do_not_time_out(kafka: Kafka) -> Observations:
    """The timeout counts from the first partition, not from the producer's initialisation."""
    topic, producer = kafka.topic(), Producer(kafka, timeout_ms=TRANSACTION_CHECK_MS)
    producer.complete(commit=False)
    kafka.pass_time(kafka.topic(), 2 * TRANSACTION_CHECK_MS)
    yield producer.describe()
    yield producer.produce(topic, "a")
    _wait_for_the_abort(producer)
    yield producer.describe()


@scenario()
def new_timeouts_replace_old_ones(kafka: Kafka) -> Observations:
    """The timeout of the last InitProducerId counts."""
    topic = kafka.topic()
    first = Producer(kafka, timeout_ms=1)
    second = Producer(kafka, transactional_id=first.transactional_id, timeout_ms=50_000)
    second.produce(topic, "a")
    kafka.pass_time(kafka.topic(), 2 * TRANSACTION_CHECK_MS)
    yield second.describe()
    yield second.end(), second.settle()


@scenario(on=EXPIRING)
def transactional_ids_expire(kafka: Kafka) -> Observations:
    """An unused transactional id is removed, and starts with a new producer id; open ones stay."""
    topic, producer, busy = kafka.topic(), Producer(kafka), Producer(kafka)
    producer.produce(topic, "a")
    producer.complete()
    busy.produce(topic, "b")

    def expired() -> bool:
        requested = describe_transactions(producer.transactional_id)
        (described,) = producer.ask(requested).transaction_states
        return bool(described.error_code)

    eventually(expired, "the expiry")
    yield producer.ask(describe_transactions(producer.transactional_id))
    yield busy.describe()
    old = producer.identity
    for version in (1, 4, 5):
        ending = end_txn(producer.transactional_id, old, commit=True)
        yield version, producer.ask(ending, version)
    yield producer.produce(topic, "c"), producer.add({topic: [0]})
    yield producer.init(known=old)
    yield producer.identity.producer_id == old.producer_id, producer.init(known=old)
    yield busy.end(), busy.settle()


def _wait_for_the_abort(producer: Producer) -> None:
    eventually(lambda: producer.describe().transaction_state == "CompleteAbort", "the abort")
