"""Failing nodes and moving leaders, as clients observe them."""

from __future__ import annotations

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import (
    create_topics,
    elect,
    new_topic,
    reassign,
    reassignments,
)
from integration.parity.requests import LATEST, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import THREE

ALL = (1, 2, 3)
A = batch("a")


@scenario(on=THREE)
def nodes_have_the_same_metadata(kafka: Kafka) -> Observations:
    """All nodes return the same metadata of a topic."""
    topic = kafka.topic(2, replicas=(2, 3, 1))
    for node in ALL:
        yield node, kafka.metadata(topic, node=node)


@scenario(on=THREE)
def replicas_are_spread(kafka: Kafka) -> Observations:
    """Automatically assigned partitions are on different nodes, with their replicas."""
    name = kafka.new_name("topic")
    kafka.request(create_topics(new_topic(name, 3, 2)))
    eventually(lambda: len(kafka.metadata(name).partitions) == 3, name)
    partitions = kafka.metadata(name).partitions
    yield "leaders", sorted(each.leader_id for each in partitions)
    yield "replicas", [len(set(each.replica_nodes)) for each in partitions]
    yield "too many", kafka.request(create_topics(new_topic(kafka.new_name("topic"), 1, 4)))


@scenario(on=THREE, alone=True, slow=True)
def leader_crashes(kafka: Kafka) -> Observations:
    """Another in-sync replica leads in a new epoch, with every acknowledged record."""
    topic = kafka.topic(replicas=(2, 3, 1))
    yield kafka.request(produce(topic, A), node=2)
    kafka.crash(2)
    kafka.wait_for_leader(topic, 3)
    kafka.wait_for_isr(topic, (3, 1))
    yield kafka.metadata(topic)
    yield kafka.request(produce(topic, A), node=3)
    kafka.restart(2)
    kafka.wait_for_isr(topic, ALL)
    yield kafka.metadata(topic)
    yield kafka.request(fetch(topic), node=3)
    yield "old epoch", kafka.request(fetch(topic, leader_epoch=0), node=3)


@scenario(on=THREE, alone=True, slow=True)
def follower_crashes_during_a_produce(kafka: Kafka) -> Observations:
    """A produce waits for a stopped follower until it leaves the ISR."""
    topic = kafka.topic(replicas=(1, 3))
    kafka.crash(3)
    parked = kafka.start(produce(topic, A))
    yield parked.response()
    kafka.wait_for_isr(topic, (1,))
    yield kafka.start(produce(topic, A))
    kafka.restart(3)
    kafka.wait_for_isr(topic, (1, 3))
    yield kafka.request(produce(topic, A))


@scenario(on=THREE, alone=True, slow=True)
def only_replica_crashes(kafka: Kafka) -> Observations:
    """A partition whose only replica stops has no leader until it returns with its records."""
    topic = kafka.topic(replicas=(3,))
    yield kafka.request(produce(topic, A), node=3)
    kafka.crash(3)
    kafka.wait_for_leader(topic, -1)
    yield kafka.metadata(topic)
    yield "elsewhere", kafka.request(list_offsets(topic, LATEST))
    yield "elect", kafka.request(elect(topic, 0))
    kafka.restart(3)
    kafka.wait_for_leader(topic, 3)
    yield kafka.request(fetch(topic), node=3)


@scenario(on=THREE)
def elections_of_preferred_leaders(kafka: Kafka) -> Observations:
    """The preferred leader is elected; if it leads already or is unknown, there is an error."""
    topic = kafka.topic(replicas=ALL)
    yield "already", kafka.request(elect(topic, 0))
    yield "unknown", kafka.request(elect(topic, 5))
    kafka.request(reassign(topic, (3, 2, 1)))
    yield kafka.request(elect(topic, 0))
    kafka.wait_for_leader(topic, 3)
    yield kafka.metadata(topic)
    yield "unclean", kafka.request(elect(topic, 0, unclean=True))


@scenario(on=THREE)
def replicas_are_reassigned(kafka: Kafka) -> Observations:
    """A reassignment copies the records to new replicas and removes the old ones."""
    topic = kafka.topic(replicas=(1, 2))
    kafka.request(produce(topic, A))
    yield kafka.request(reassign(topic, (3, 2)))
    kafka.wait_for_isr(topic, (3, 2))
    eventually(lambda: len(kafka.metadata(topic).partitions[0].replica_nodes) == 2, "moved")
    yield kafka.metadata(topic)
    yield "on the move", kafka.request(reassignments(topic, 0))
    leader = kafka.metadata(topic).partitions[0].leader_id
    kafka.wait_for_leader(topic, leader)
    yield kafka.request(fetch(topic), node=leader)


@scenario(on=THREE)
def invalid_reassignments(kafka: Kafka) -> Observations:
    """Unknown nodes, repeated nodes, no nodes, and a cancellation without a reassignment."""
    topic = kafka.topic(replicas=(1, 2))
    for to in ((9,), (1, 1), (), (-1,), None):
        yield to, kafka.request(reassign(topic, to))
    yield "unknown topic", kafka.request(reassign(kafka.new_name("unknown"), (1,)))
    yield "none on the move", kafka.request(reassignments(topic, 0))
