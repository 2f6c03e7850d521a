"""Nodes that fail, leaders that move, and what clients are told of it."""

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
from integration.parity.scenario import Kafka, Story, scenario
from integration.parity.setups import THREE

ALL = (1, 2, 3)
A = batch("a")


@scenario(on=THREE)
def nodes_know_each_other(kafka: Kafka) -> Story:
    """Every node tells the same of a topic."""
    topic = kafka.topic(2, replicas=(2, 3, 1))
    for node in ALL:
        yield node, kafka.metadata(topic, node=node)


@scenario(on=THREE)
def replicas_are_spread(kafka: Kafka) -> Story:
    """Partitions that nobody assigned lie on different nodes, each with its replicas."""
    name = kafka.new_name("topic")
    kafka.ask(create_topics(new_topic(name, 3, 2)))
    eventually(lambda: len(kafka.metadata(name).partitions) == 3, name)
    partitions = kafka.metadata(name).partitions
    yield "leaders", sorted(each.leader_id for each in partitions)
    yield "replicas", [len(set(each.replica_nodes)) for each in partitions]
    yield "too many", kafka.ask(create_topics(new_topic(kafka.new_name("topic"), 1, 4)))


@scenario(on=THREE, alone=True, slow=True)
def leader_crashes(kafka: Kafka) -> Story:
    """Another replica in sync leads in a new epoch, with every acknowledged record."""
    topic = kafka.topic(replicas=(2, 3, 1))
    yield kafka.ask(produce(topic, A), node=2)
    kafka.crash(2)
    kafka.wait_for_leader(topic, 3)
    kafka.wait_for_isr(topic, (3, 1))
    yield kafka.metadata(topic)
    yield kafka.ask(produce(topic, A), node=3)
    kafka.restart(2)
    kafka.wait_for_isr(topic, ALL)
    yield kafka.metadata(topic)
    yield kafka.ask(fetch(topic), node=3)
    yield "old epoch", kafka.ask(fetch(topic, leader_epoch=0), node=3)


@scenario(on=THREE, alone=True, slow=True)
def follower_crashes_under_a_waiting_produce(kafka: Kafka) -> Story:
    """A produce waits for a follower that is gone until that one leaves the ISR."""
    topic = kafka.topic(replicas=(1, 3))
    kafka.crash(3)
    parked = kafka.start(produce(topic, A))
    yield parked.answer()
    kafka.wait_for_isr(topic, (1,))
    yield kafka.start(produce(topic, A))
    kafka.restart(3)
    kafka.wait_for_isr(topic, (1, 3))
    yield kafka.ask(produce(topic, A))


@scenario(on=THREE, alone=True, slow=True)
def only_replica_crashes(kafka: Kafka) -> Story:
    """A partition whose only replica is gone has no leader, and gets it back with its records."""
    topic = kafka.topic(replicas=(3,))
    yield kafka.ask(produce(topic, A), node=3)
    kafka.crash(3)
    kafka.wait_for_leader(topic, -1)
    yield kafka.metadata(topic)
    yield "elsewhere", kafka.ask(list_offsets(topic, LATEST))
    yield "elect", kafka.ask(elect(topic, 0))
    kafka.restart(3)
    kafka.wait_for_leader(topic, 3)
    yield kafka.ask(fetch(topic), node=3)


@scenario(on=THREE)
def elections_of_preferred_leaders(kafka: Kafka) -> Story:
    """The first replica becomes leader; where it is already, or unknown, an error says so."""
    topic = kafka.topic(replicas=ALL)
    yield "already", kafka.ask(elect(topic, 0))
    yield "unknown", kafka.ask(elect(topic, 5))
    kafka.ask(reassign(topic, (3, 2, 1)))
    yield kafka.ask(elect(topic, 0))
    kafka.wait_for_leader(topic, 3)
    yield kafka.metadata(topic)
    yield "unclean", kafka.ask(elect(topic, 0, unclean=True))


@scenario(on=THREE)
def replicas_move(kafka: Kafka) -> Story:
    """A reassignment brings the records to new replicas and drops the old ones."""
    topic = kafka.topic(replicas=(1, 2))
    kafka.ask(produce(topic, A))
    yield kafka.ask(reassign(topic, (3, 2)))
    kafka.wait_for_isr(topic, (3, 2))
    eventually(lambda: len(kafka.metadata(topic).partitions[0].replica_nodes) == 2, "moved")
    yield kafka.metadata(topic)
    yield "on the move", kafka.ask(reassignments(topic, 0))
    leader = kafka.metadata(topic).partitions[0].leader_id
    kafka.wait_for_leader(topic, leader)
    yield kafka.ask(fetch(topic), node=leader)


@scenario(on=THREE)
def replicas_that_cannot_move(kafka: Kafka) -> Story:
    """Unknown nodes, repeats, none at all, and nothing to call off."""
    topic = kafka.topic(replicas=(1, 2))
    for to in ((9,), (1, 1), (), (-1,), None):
        yield to, kafka.ask(reassign(topic, to))
    yield "unknown topic", kafka.ask(reassign(kafka.new_name("unknown"), (1,)))
    yield "none on the move", kafka.ask(reassignments(topic, 0))
