"""Nodes that do not answer each other's requests about transactions.

A leader or coordinator answers such a request when its write is replicated, so it does not answer
while a follower is paused that stays in sync.
"""

from __future__ import annotations

from integration.machine.deadlines import eventually
from integration.parity.coordinators import (
    OFFSETS,
    OTHER,
    PAUSED,
    keep_state_away_from_the_paused_node,
    move_offsets,
    prepare,
)
from integration.parity.group_requests import committed
from integration.parity.requests import fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import BRIEF, REQUEST_TIMEOUT_MS
from integration.parity.transaction_requests import commit_in_txn, transactional_batch
from integration.parity.transactional_producer import NEW, OLD, Producer

REPEATED = 2  # how often a marker is sent again before the follower resumes
_PRODUCE_TIMEOUT_MS = 600


@scenario(on=BRIEF, alone=True)
def leaders_that_do_not_answer_markers(kafka: Kafka) -> Observations:
    """EndTxn does not wait for the leader of one of three partitions; the next transaction does."""
    prepare(kafka)
    keep_state_away_from_the_paused_node(kafka)
    slow, quick = kafka.topic(replicas=(OTHER, PAUSED)), kafka.topic(2)
    producer = Producer(kafka)
    producer.deliver(slow, "a", node=OTHER)
    for partition in (0, 1):
        producer.deliver(quick, "b", partition=partition)
    kafka.pause(PAUSED)
    parked = kafka.start(fetch(slow, read_committed=True), node=OTHER)
    ending = kafka.start(producer.ending(), NEW.end)
    yield ending
    yield kafka.start(fetch(quick, {0: 0, 1: 0}, read_committed=True))
    eventually(lambda: len(producer.describe().topics) == 1, "the markers of the other partitions")
    yield producer.describe(), "waits", parked.waits()
    producer.ended(ending.response())
    yield producer.produce(quick, "c"), producer.end()
    kafka.resume(PAUSED)
    yield parked
    yield producer.settle(), producer.produce(quick, "c"), producer.end()


@scenario(on=BRIEF, alone=True)
def markers_that_are_not_replicated_in_time(kafka: Kafka) -> Observations:
    """Each request.timeout.ms the leader appends another marker until one is replicated."""
    prepare(kafka)
    keep_state_away_from_the_paused_node(kafka)
    empty = kafka.topic()
    for leader in (1, OTHER):
        topic, producer = kafka.topic(replicas=(leader, PAUSED)), Producer(kafka)
        producer.deliver(topic, "a", node=leader)
        kafka.pause(PAUSED)
        yield producer.end()
        kafka.pass_time(empty, (REPEATED + 1) * REQUEST_TIMEOUT_MS + REQUEST_TIMEOUT_MS // 2)
        yield producer.describe().transaction_state
        kafka.resume(PAUSED)
        yield producer.settle()
        yield _some_markers(kafka, topic, leader)
        producer.deliver(topic, "b", node=leader)
        yield producer.end(), producer.settle()


def _some_markers(kafka: Kafka, topic: str, leader: int) -> list[str]:
    """The records up to the markers that were surely repeated; their number depends on the time."""
    (found,) = kafka.request(fetch(topic, read_committed=True), node=leader).responses[0].partitions
    return kafka.formatter.records(found.records).split("; ")[: REPEATED + 2]


@scenario(on=BRIEF, alone=True)
def coordinators_that_do_not_answer_leaders(kafka: Kafka) -> Observations:
    """A produce waits for the coordinator for request.timeout.ms, not for its own timeout."""
    prepare(kafka)
    topic, producer = kafka.topic(replicas=(OTHER,)), Producer(kafka)
    kafka.pause(PAUSED)
    batch = transactional_batch(producer.identity, 0, "a")
    requested = produce(
        topic,
        batch,
        timeout_ms=_PRODUCE_TIMEOUT_MS,
        transactional_id=producer.transactional_id,
    )
    late = kafka.start(requested, NEW.produce, node=OTHER)
    yield late.response(), late.wait.reached(_PRODUCE_TIMEOUT_MS, REQUEST_TIMEOUT_MS)
    yield producer.describe()
    kafka.resume(PAUSED)
    producer.deliver(topic, "a", node=OTHER)
    yield producer.describe()
    yield producer.end(), producer.settle()
    yield kafka.request(fetch(topic, read_committed=True), node=OTHER)


@scenario(on=BRIEF, alone=True)
def coordinators_that_do_not_answer_groups(kafka: Kafka) -> Observations:
    """TxnOffsetCommit waits for the coordinator of its transaction for request.timeout.ms."""
    prepare(kafka)
    move_offsets(kafka, OTHER)
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    kafka.pause(PAUSED)
    requested = commit_in_txn(producer.transactional_id, producer.identity, group, topic, {0: 4})
    late = kafka.start(requested, NEW.commit, node=OTHER)
    yield late.response(), late.wait.reached(0, REQUEST_TIMEOUT_MS)
    kafka.resume(PAUSED)
    kafka.wait_for_isr(OFFSETS, (1, 2, 3))
    eventually(lambda: producer.describe().topics, "the group's partition in the transaction")
    yield producer.commit_offsets(group, topic, {0: 5}, node=OTHER)
    yield producer.end(), producer.settle()
    yield kafka.request(committed(group, {topic: [0]}, require_stable=True), node=OTHER)


@scenario(on=BRIEF, alone=True)
def verifications_need_no_replication(kafka: Kafka) -> Observations:
    """A coordinator verifies a partition at once, also if its log is not replicated."""
    prepare(kafka)
    topic, producer = kafka.topic(replicas=(OTHER,)), Producer(kafka, OLD)
    producer.add({topic: [0]})
    kafka.pause(PAUSED)
    yield producer.produce(topic, "a", node=OTHER)
    ending = kafka.start(producer.ending(), OLD.end)
    yield "waits", ending.waits()
    kafka.resume(PAUSED)
    yield ending
    yield producer.settle()
