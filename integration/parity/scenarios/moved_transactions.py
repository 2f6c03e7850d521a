"""Transactions on three nodes whose coordinators and leaders move or crash."""

from __future__ import annotations

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import elect, reassign
from integration.parity.coordinators import (
    OTHER,
    PAUSED,
    STATE,
    keep_state_away_from_the_paused_node,
    move_offsets,
    move_state,
    prepare,
    wait_until_loaded,
)
from integration.parity.group_requests import committed
from integration.parity.requests import LATEST, fetch, list_offsets
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import THREE
from integration.parity.transaction_requests import init_producer_id
from integration.parity.transactional_producer import Producer, coordinator
from protocol.record_batch.batch import batches, records


@scenario(on=THREE, alone=True)
def transactions_wait_while_their_coordinator_moves(kafka: Kafka) -> Observations:
    """A request that waits for the state log is refused when the coordinator moves."""
    prepare(kafka)
    producer = Producer(kafka)
    kafka.pause(PAUSED)
    parked = kafka.start(init_producer_id(producer.transactional_id))
    yield "waits", parked.waits()
    kafka.request(reassign(STATE, (OTHER, 1, PAUSED)))
    kafka.request(elect(STATE, 0))
    yield parked
    kafka.resume(PAUSED)
    kafka.wait_for_leader(STATE, OTHER)
    wait_until_loaded(kafka, OTHER)
    producer.node = OTHER
    yield producer.describe(), producer.init()


@scenario(on=THREE, alone=True)
def transactions_move_with_their_coordinator(kafka: Kafka) -> Observations:
    """The new coordinator continues an open transaction; the last epoch is not in its log."""
    prepare(kafka)
    topic, open_one, idle = kafka.topic(), Producer(kafka), Producer(kafka)
    before = idle.identity
    idle.init(known=before)
    open_one.deliver(topic, "a")
    move_state(kafka, OTHER)
    yield "at the old one", open_one.end()
    open_one.node = idle.node = OTHER
    yield open_one.describe(), idle.describe()
    yield "the last epoch", idle.init(known=before), idle.init()
    open_one.deliver(topic, "b")
    yield open_one.end(), open_one.settle()
    yield kafka.request(fetch(topic, read_committed=True))


@scenario(on=THREE, alone=True)
def ends_move_with_their_coordinator(kafka: Kafka) -> Observations:
    """The new coordinator writes the markers of a decided transaction to all its partitions."""
    prepare(kafka)
    keep_state_away_from_the_paused_node(kafka)
    topics = {kafka.topic(replicas=(1, PAUSED)): 1, kafka.topic(replicas=(OTHER,)): OTHER}
    producer = Producer(kafka)
    for topic, leader in topics.items():
        producer.deliver(topic, "a", node=leader)
    kafka.pause(PAUSED)
    yield producer.end()
    kafka.request(reassign(STATE, (OTHER, 1)))
    kafka.request(elect(STATE, 0))
    kafka.wait_for_leader(STATE, OTHER)
    wait_until_loaded(kafka, OTHER)
    producer.node = OTHER
    yield producer.describe().transaction_state
    kafka.resume(PAUSED)
    yield producer.settle()
    for topic, leader in topics.items():
        yield _up_to_its_markers(kafka, topic, leader)


@scenario(on=THREE, alone=True)
def markers_follow_a_moved_leader(kafka: Kafka) -> Observations:
    """If the leader moves before its marker is replicated, the new leader gets the marker, too."""
    prepare(kafka)
    keep_state_away_from_the_paused_node(kafka)
    topic, producer = kafka.topic(replicas=(1, OTHER, PAUSED)), Producer(kafka)
    producer.deliver(topic, "a")
    kafka.pause(PAUSED)
    yield producer.end()
    kafka.pass_time(kafka.topic(), 50)
    kafka.request(reassign(topic, (OTHER, 1, PAUSED)))
    kafka.request(elect(topic, 0))
    kafka.wait_for_leader(topic, OTHER)
    kafka.resume(PAUSED)
    yield producer.settle()
    yield _up_to_its_markers(kafka, topic, OTHER)


@scenario(on=THREE, alone=True)
def open_transactions_move_with_their_leader(kafka: Kafka) -> Observations:
    """The new leader has the open transactions, the aborted ones, and the last stable offset."""
    prepare(kafka)
    topic, first, second = kafka.topic(replicas=(1, 2)), Producer(kafka), Producer(kafka)
    for commit in (False, True):
        first.deliver(topic, "a")
        first.complete(commit=commit)
    second.deliver(topic, "b")
    at_old = kafka.start(fetch(topic, 4, read_committed=True))
    kafka.request(reassign(topic, (2, 1)))
    kafka.request(elect(topic, 0))
    kafka.wait_for_leader(topic, 2)
    kafka.settle()
    yield "waits", at_old.waits()
    yield kafka.request(fetch(topic, read_committed=True), node=2)
    yield kafka.request(list_offsets(topic, LATEST, read_committed=True), node=2)
    at_new = kafka.start(fetch(topic, 4, read_committed=True), node=2)
    yield second.produce(topic, "c"), second.produce(topic, "c", node=2)
    yield "waits", at_new.waits()
    yield second.end(commit=False), second.settle()
    yield at_new, at_old
    yield first.produce(topic, "d", node=2), first.end(), first.settle()


@scenario(on=THREE, alone=True)
def pending_offsets_move_with_their_group(kafka: Kafka) -> Observations:
    """The new coordinator of a group has its pending offsets, and the markers end them."""
    prepare(kafka)
    topic, group, producer = kafka.topic(2), kafka.new_name("group"), Producer(kafka)
    yield producer.commit_offsets(group, topic, {0: 4})
    aborted = Producer(kafka)
    yield aborted.commit_offsets(group, topic, {1: 4})
    aborted.complete(commit=False)
    move_offsets(kafka, OTHER)
    requested = committed(group, {topic: [0, 1]}, require_stable=True)
    yield kafka.request(requested, node=OTHER)
    yield "at the old one", producer.commit_offsets(group, topic, {0: 5})
    yield producer.commit_offsets(group, topic, {0: 6}, node=OTHER)
    yield producer.end(), producer.settle()
    yield kafka.request(requested, node=OTHER)
    move_offsets(kafka, 1)
    yield kafka.request(requested)


@scenario(on=THREE, alone=True, slow=True)
def coordinators_crash(kafka: Kafka) -> Observations:
    """Another node continues the transactions of a coordinator that is killed."""
    prepare(kafka)
    topic = kafka.topic(replicas=(1,))
    move_state(kafka, 3)
    producer, decided = Producer(kafka), Producer(kafka)
    producer.deliver(topic, "a")
    decided.deliver(topic, "b")
    yield decided.end()
    kafka.crash(3)
    _wait_for_another_coordinator(kafka, producer, decided)
    yield producer.describe(), decided.settle()
    producer.deliver(topic, "c")
    yield producer.end(), producer.settle()
    yield _committed(kafka, topic)
    kafka.restart(3)


@scenario(on=THREE, alone=True, slow=True)
def leaders_crash_during_a_transaction(kafka: Kafka) -> Observations:
    """The open transaction goes on at the new leader, and at the old one after its restart."""
    prepare(kafka)
    topic, first, second = kafka.topic(replicas=(3, 2)), Producer(kafka), Producer(kafka)
    first.deliver(topic, "a", node=3)
    first.complete(commit=False)
    second.deliver(topic, "b", node=3)
    kafka.crash(3)
    kafka.wait_for_leader(topic, 2)
    yield kafka.request(fetch(topic, read_committed=True), node=2)
    yield second.produce(topic, "c", node=2)
    yield second.end(), second.settle()
    yield kafka.request(fetch(topic, read_committed=True), node=2)
    kafka.restart(3)
    kafka.wait_for_isr(topic, (2, 3))
    kafka.request(elect(topic, 0))
    kafka.wait_for_leader(topic, 3)
    yield kafka.request(fetch(topic, read_committed=True), node=3)


def _wait_for_another_coordinator(kafka: Kafka, *producers: Producer) -> None:
    """Wait until the producers have a coordinator that is not node 3."""

    def another() -> int:
        node = coordinator(kafka, producers[0].transactional_id)
        return node if node != 3 else 0

    node = eventually(another, "another coordinator")
    wait_until_loaded(kafka, node)
    for producer in producers:
        producer.node = node


def _committed(kafka: Kafka, topic: str) -> tuple[list[str], bool]:
    """The values of the records, and whether no transaction is open.

    A coordinator that crashes may have written a marker that the next one writes again.
    """
    (found,) = kafka.request(fetch(topic, read_committed=True)).responses[0].partitions
    values = [
        (each.value or b"").decode()
        for position, header in batches(found.records)
        if not header.is_control
        for each in records(found.records, position)
    ]
    return values, found.last_stable_offset == found.high_watermark


def _up_to_its_markers(kafka: Kafka, topic: str, node: int) -> tuple[str, bool]:
    """The records up to the first marker, and whether no transaction is open.

    The number of markers depends on the time of the move.
    """
    (found,) = kafka.request(fetch(topic, read_committed=True), node=node).responses[0].partitions
    records, marker, _ = kafka.formatter.records(found.records).partition("commit marker")
    return records + marker, found.last_stable_offset == found.high_watermark
