"""Racks: where consumers are directed to, and how replicas are placed.

Node 1 is in rack a, nodes 2 and 3 are in rack b. The scenarios are slow because they need three
nodes of their own; `integration/test_racks.py` has racks in each run.
"""

from __future__ import annotations

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import create_topics, new_topic
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import RACKS, SHRUNK_AFTER_MS
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.fetch import FetchRequest

ALL = (1, 2, 3)
A = batch("a")
RACK_SINCE = 11


def _directed(topic: str, offset: int = 0) -> FetchRequest:
    """A fetch of a consumer in the rack of nodes 2 and 3."""
    return fetch(topic, offset, rack="b", max_wait_ms=0)


def _preferred(kafka: Kafka, topic: str) -> int:
    """The preferred read replica."""
    partition = kafka.request(_directed(topic), 12).responses[0].partitions[0]
    return int(partition.preferred_read_replica)


@scenario(on=RACKS, slow=True)
def consumers_are_directed_to_a_replica_in_their_rack(kafka: Kafka) -> Observations:
    """Each rack, at the leader and at followers, in several versions."""
    topic = kafka.topic(replicas=(1, 2))
    kafka.request(produce(topic, A))
    kafka.request(fetch(topic), 12, node=2)  # waits until the follower knows the high watermark
    for rack in ("a", "b", "c", "", "B"):
        for node in (1, 2):
            yield rack, node, kafka.request(fetch(topic, rack=rack, max_wait_ms=0), 12, node=node)
    for version in (RACK_SINCE, 12):
        yield version, kafka.request(fetch(topic, rack="b"), version)


@scenario(on=RACKS, slow=True)
def directed_consumers_do_not_wait(kafka: Kafka) -> Observations:
    """A partition with a preferred replica ends the wait of all partitions of the request."""
    topic, other = kafka.topic(2, replicas=(1, 2)), kafka.topic(replicas=(1,))
    kafka.request(produce(topic, {0: A, 1: A}))
    yield kafka.start(fetch(topic, {0: 1, 1: 0}, rack="b", min_bytes=1 << 20), 12)
    yield "leader only", kafka.start(fetch(other, rack="b"), 12).waits()


@scenario(on=RACKS, slow=True)
def directed_consumers_with_errors(kafka: Kafka) -> Observations:
    """Offsets that no follower has, and leader epochs."""
    topic = kafka.topic(replicas=(1, 2))
    kafka.request(produce(topic, A))
    for offset in (-1, 0, 1, 2):
        yield offset, kafka.request(fetch(topic, offset, rack="b", max_wait_ms=0), 12)
    for epoch in (0, 1):
        yield "epoch", epoch, kafka.request(fetch(topic, rack="b", leader_epoch=epoch), 12)


@scenario(on=RACKS, slow=True)
def directed_consumers_with_sessions(kafka: Kafka) -> Observations:
    """A session has a partition with a preferred replica in each response."""
    topic = kafka.topic(replicas=(1, 2))
    kafka.request(produce(topic, A))
    first = kafka.request(fetch(topic, rack="b", max_wait_ms=0, session=(0, 0)), 12)
    for epoch in (1, 2):
        request = fetch(topic, {}, rack="b", max_wait_ms=0, session=(first.session_id, epoch))
        yield epoch, kafka.request(request, 12).responses
    request = fetch(topic, {}, max_wait_ms=0, session=(first.session_id, 3))
    yield "without a rack", kafka.request(request, 12).responses


@scenario(on=RACKS, alone=True, slow=True)
def lagging_followers_are_not_preferred(kafka: Kafka) -> Observations:
    """The follower with the longer log, or the leader if none is in sync and has the offset."""
    topic, pair, empty = kafka.topic(replicas=ALL), kafka.topic(replicas=(1, 3)), kafka.topic()
    for each in (topic, pair):
        kafka.request(produce(each, A))
    kafka.pause(3)
    for each in (topic, pair):
        kafka.request(produce(each, A, acks=1))
    eventually(lambda: _preferred(kafka, topic) == 2, "node 2 has more than node 3")
    yield "longer log", kafka.request(_directed(topic), 12)
    for offset in (0, 1, 2):
        yield "paused", offset, kafka.request(_directed(pair, offset), 12)
    kafka.pass_time(empty, SHRUNK_AFTER_MS)
    kafka.wait_for_isr(pair, (1,))
    yield "out of sync", kafka.request(_directed(pair, 1), 12)
    parked = kafka.start(fetch(pair, 2, rack="b"), 12)
    yield "waits at the leader", parked.waits()
    kafka.resume(3)
    kafka.wait_for_isr(pair, (1, 3))
    kafka.request(produce(pair, A))
    yield "directed when it is woken", parked


@scenario(on=RACKS, slow=True)
def clients_see_racks(kafka: Kafka) -> Observations:
    """The racks of the nodes."""
    described = kafka.request(DescribeClusterRequest(include_cluster_authorized_operations=False))
    yield [(broker.broker_id, broker.rack) for broker in described.brokers]


@scenario(on=RACKS, slow=True)
def replicas_are_in_different_racks(kafka: Kafka) -> Observations:
    """Each of two replicas is in another rack; Kafka draws the rest at random."""
    topic = kafka.new_name("topic")
    kafka.request(create_topics(new_topic(topic, 12, 2)))
    partitions = kafka.metadata(topic).partitions
    yield {1 in partition.replica_nodes for partition in partitions}
