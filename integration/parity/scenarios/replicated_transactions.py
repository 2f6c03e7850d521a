"""Transactions on three nodes: their coordinator, and what waits for replicas."""

from __future__ import annotations

from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.coordinators import (
    ALL,
    OFFSETS,
    OTHER,
    PAUSED,
    STATE,
    keep_state_away_from_the_paused_node,
    prepare,
)
from integration.parity.group_requests import committed, find_coordinator
from integration.parity.requests import SHORT_MS, fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import COMMIT_TIMEOUT_MS, LAG_MS, THREE, TRANSACTION_CHECK_MS
from integration.parity.transaction_requests import (
    TRANSACTION,
    Identity,
    add_offsets,
    add_partitions,
    commit_in_txn,
    describe_producers,
    describe_transactions,
    end_txn,
    init_producer_id,
    list_transactions,
    marker,
    write_markers,
)
from integration.parity.transactional_producer import NEW, OLD, Producer, coordinator


@scenario(on=THREE)
def every_node_finds_the_coordinator(kafka: Kafka) -> Observations:
    """All nodes name the leader of the partition of a transactional id."""
    name = kafka.new_name("transaction")
    at = coordinator(kafka, name)
    for node in kafka.nodes:
        response = kafka.request(find_coordinator(name, key_type=TRANSACTION), node=node)
        yield response.coordinators[0].node_id == at
    yield kafka.metadata(STATE).partitions[0].leader_id == at
    yield len(kafka.metadata(STATE).partitions[0].replica_nodes)


@scenario(on=THREE)
def nodes_that_do_not_coordinate_transactions(kafka: Kafka) -> Observations:
    """Other nodes reject each request about a transaction."""
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    name, identity = producer.transactional_id, producer.identity
    wrong = next(node for node in kafka.nodes if node != producer.node)
    for request in (
        init_producer_id(name),
        init_producer_id(name, timeout_ms=0),
        add_offsets(name, identity, group),
        end_txn(name, identity, commit=True),
        describe_transactions(name),
    ):
        yield kafka.request(request, node=wrong)
    yield kafka.request(add_partitions(name, identity, {topic: [0]}), 3, node=wrong)
    yield kafka.request(list_transactions(pattern=name), node=wrong)
    yield producer.describe()


@scenario(on=THREE)
def transactions_span_nodes(kafka: Kafka) -> Observations:
    """A transaction has partitions with leaders on all nodes, and each gets its marker."""
    topics = {node: kafka.topic(replicas=(node,)) for node in kafka.nodes}
    for versions in (OLD, NEW):
        for commit in (True, False):
            producer = Producer(kafka, versions)
            for node, topic in topics.items():
                if versions is OLD:
                    yield producer.add({topic: [0]})
                yield producer.produce(topic, "a", node=node)
            yield producer.end(commit=commit), producer.settle()
    for node, topic in topics.items():
        yield kafka.request(fetch(topic, read_committed=True), node=node)


@scenario(on=THREE)
def markers_at_the_wrong_node(kafka: Kafka) -> Observations:
    """Only the leader of a partition appends its marker."""
    topic, producer = kafka.topic(replicas=(2, 3)), Producer(kafka)
    producer.produce(topic, "a", node=2)
    for node in kafka.nodes:
        sent = marker(producer.identity, {topic: [0]})
        yield node, kafka.request(write_markers(sent), node=node)
    yield kafka.request(fetch(topic, read_committed=True), node=2)


@scenario(on=THREE)
def batches_of_transactions_at_the_wrong_node(kafka: Kafka) -> Observations:
    """A node that does not lead rejects a batch, and does not add its partition."""
    topic, producer = kafka.topic(replicas=(2, 3)), Producer(kafka)
    for version in (11, 12):
        for node in (1, 3):
            yield version, node, producer.produce(topic, "a", node=node, version=version)
    yield producer.describe()


@scenario(on=THREE)
def committed_fetch_at_a_follower(kafka: Kafka) -> Observations:
    """A follower waits for its own last stable offset, and names aborted transactions."""
    topic, producer = kafka.topic(replicas=(1, 2)), Producer(kafka)
    producer.produce(topic, "a")
    parked = kafka.start(fetch(topic, read_committed=True), node=2)
    yield "waits", parked.waits()
    yield producer.end(commit=False)
    yield parked
    response = kafka.request(describe_producers(topic, 0), node=2)
    for each in response.topics[0].partitions[0].active_producers:
        each.coordinator_epoch = 0  # it depends on earlier elections
    yield response


@scenario(on=THREE, alone=True)
def transactions_wait_for_their_log(kafka: Kafka) -> Observations:
    """Each change of a transaction waits until its record is replicated; others are refused."""
    prepare(kafka)
    topic, producer = kafka.topic(replicas=(1,)), Producer(kafka)
    for step in ("init", "add", "end"):
        kafka.wait_for_isr(STATE, ALL)
        kafka.pause(PAUSED)
        requests = _changes(producer, topic)
        parked = kafka.start(*requests[step])
        yield step, "waits", parked.waits()
        yield "described", producer.describe()
        for request, version in requests.values():
            yield "meanwhile", kafka.request(request, version)
        kafka.resume(PAUSED)
        yield step, parked
        if step == "init":
            producer.identity = producer.identity._replace(epoch=1)
        yield producer.settle(), producer.describe()


@scenario(on=THREE, alone=True)
def transactions_wait_at_most_for_their_timeout(kafka: Kafka) -> Observations:
    """A record that is not replicated within the transaction's timeout has no effect in memory."""
    prepare(kafka)
    producer = Producer(kafka, timeout_ms=SHORT_MS)
    new = kafka.new_name("transaction")
    for name in (producer.transactional_id, new):
        kafka.wait_for_isr(STATE, ALL)
        kafka.pause(PAUSED)
        late = kafka.start(init_producer_id(name, timeout_ms=SHORT_MS))
        yield late.response(), late.wait.reached(0, SHORT_MS)
        yield kafka.request(describe_transactions(name))
        kafka.resume(PAUSED)
        kafka.wait_for_isr(STATE, ALL)
        yield kafka.request(init_producer_id(name))


@scenario(on=THREE, alone=True)
def ends_do_not_wait_for_markers(kafka: Kafka) -> Observations:
    """EndTxn is answered before the markers; the next transaction waits for all of them."""
    prepare(kafka)
    keep_state_away_from_the_paused_node(kafka)
    slow, beside = kafka.topic(replicas=(1, PAUSED)), kafka.topic(replicas=(1,))
    quick, producer = kafka.topic(replicas=(OTHER,)), Producer(kafka)
    producer.deliver(slow, "a")
    producer.deliver(beside, "b")
    producer.deliver(quick, "c", node=OTHER)
    kafka.pause(PAUSED)
    parked = kafka.start(fetch(slow, read_committed=True))
    yield producer.end()
    yield kafka.start(fetch(beside, read_committed=True))
    yield kafka.start(fetch(quick, read_committed=True), node=OTHER)
    eventually(lambda: len(producer.describe().topics) < 3, "the marker of another node")
    yield producer.describe()
    yield "waits", parked.waits()
    for request, version in _changes(producer, quick).values():
        yield kafka.request(request, version)
    late = producer.produce(quick, "d", node=OTHER)
    yield late, late.wait.reached(0, 100)
    kafka.resume(PAUSED)
    yield parked
    yield producer.settle(), producer.produce(quick, "e", node=OTHER)


@scenario(on=THREE, alone=True)
def ends_complete_when_the_isr_shrinks(kafka: Kafka) -> Observations:
    """A marker is replicated when the paused follower leaves the ISR."""
    prepare(kafka)
    keep_state_away_from_the_paused_node(kafka)
    topic, producer = kafka.topic(replicas=(1, PAUSED)), Producer(kafka)
    producer.deliver(topic, "a")
    kafka.pause(PAUSED)
    parked = kafka.start(fetch(topic, read_committed=True))
    yield producer.end(commit=False), producer.describe().transaction_state
    yield parked.response(), parked.wait.reached(0, LAG_MS // 2)
    yield producer.settle()


@scenario(on=THREE, alone=True)
def timeouts_wait_for_the_log(kafka: Kafka) -> Observations:
    """The abort after a timeout is replicated first, and then its markers are written."""
    prepare(kafka)
    topic, producer = kafka.topic(replicas=(1,)), Producer(kafka, timeout_ms=SHORT_MS)
    empty = kafka.topic()
    producer.deliver(topic, "a")
    parked = kafka.start(fetch(topic, read_committed=True))
    kafka.pause(PAUSED)
    kafka.pass_time(empty, SHORT_MS + TRANSACTION_CHECK_MS)
    yield producer.describe().transaction_state, parked.waits()
    kafka.resume(PAUSED)
    yield parked.response()
    yield producer.settle()


@scenario(on=THREE, alone=True)
def transactional_offsets_wait_for_replicas(kafka: Kafka) -> Observations:
    """TxnOffsetCommit waits for replication at most for offsets.commit.timeout.ms."""
    prepare(kafka)
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    yield producer.commit_offsets(group, topic, {0: 1})
    kafka.wait_for_isr(OFFSETS, ALL)
    kafka.pause(PAUSED)
    sent = commit_in_txn(producer.transactional_id, producer.identity, group, topic, {0: 2})
    late = kafka.start(sent)
    yield late.response(), late.wait.reached(0, COMMIT_TIMEOUT_MS)
    parked = kafka.start(sent)
    yield "waits", parked.waits()
    kafka.resume(PAUSED)
    yield parked
    yield kafka.request(committed(group, {topic: [0]}, require_stable=True))
    yield producer.end(), producer.settle()
    yield kafka.request(committed(group, {topic: [0]}, require_stable=True))


@scenario(on=THREE, alone=True)
def stable_offsets_wait_for_replicas(kafka: Kafka) -> Observations:
    """A fetch of stable offsets waits until the pending ones are replicated, others do not."""
    prepare(kafka)
    topic, group, producer = kafka.topic(2), kafka.new_name("group"), Producer(kafka)
    yield producer.commit_offsets(group, topic, {1: 1})
    kafka.wait_for_isr(OFFSETS, ALL)
    kafka.pause(PAUSED)
    sent = commit_in_txn(producer.transactional_id, producer.identity, group, topic, {0: 2})
    writing = kafka.start(sent)
    yield "waits", writing.waits()
    unstable = kafka.start(committed(group, {topic: [0]}))
    stable = kafka.start(committed(group, {topic: [0]}, require_stable=True))
    yield unstable, "waits", stable.waits()
    kafka.resume(PAUSED)
    yield writing, stable


@scenario(on=THREE, alone=True)
def markers_wait_for_replicas(kafka: Kafka) -> Observations:
    """WriteTxnMarkers waits for all partitions; for groups, until offsets.commit.timeout.ms."""
    prepare(kafka)
    producer = Identity(900_900, 1)
    slow, quick = kafka.topic(replicas=(1, PAUSED)), kafka.topic(replicas=(1,))
    kafka.wait_for_isr(OFFSETS, ALL)
    kafka.pause(PAUSED)
    parked = kafka.start(write_markers(marker(producer, {slow: [0], quick: [0]})))
    late = kafka.start(write_markers(marker(producer, {OFFSETS: [0], quick: [0]})))
    yield "waits", parked.waits()
    for pending in (late, parked):
        response = pending.response()
        response.markers[0].topics.sort(key=lambda each: each.name)
        yield response, pending.wait.reached(0, COMMIT_TIMEOUT_MS)
        if pending is late:
            kafka.resume(PAUSED)


def _changes(producer: Producer, topic: str) -> dict[str, tuple[Any, int]]:
    """Three requests that change the transaction of a producer, with their versions."""
    name, identity = producer.transactional_id, producer.identity
    return {
        "init": (init_producer_id(name), 5),
        "add": (add_partitions(name, identity, {topic: [0]}), 3),
        "end": (end_txn(name, identity, commit=True), 5),
    }
