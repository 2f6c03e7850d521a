"""Streams groups with three nodes: other coordinators, and replicated internal topics."""

from __future__ import annotations

from functools import partial

from integration.machine.deadlines import eventually
from integration.parity.coordinators import OTHER, move_offsets, prepare
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SESSION_MIN_MS, STREAMS_HEARTBEAT_MIN_MS, THREE
from integration.parity.streams_group import StreamsGroup, settle_members
from integration.parity.streams_requests import (
    describe_streams,
    endpoint,
    internal,
    streams_heartbeat,
    streams_join,
    subtopology,
    topology,
)

_GROUP = 17  # the type of the record of a group


@scenario(on=THREE, alone=True)
def streams_coordinator_moves(kafka: Kafka) -> Observations:
    """The new coordinator has members and tasks, but not what was only in memory."""
    prepare(kafka)
    sent = topology(subtopology("0", kafka.topic(4)))
    group = StreamsGroup(kafka, sent)
    delayed = StreamsGroup(kafka, sent, initial_rebalance_delay_ms=60_000)
    a, b, c = group.member("a"), group.member("b"), delayed.member("c")
    a.join(user_endpoint=endpoint("h")), b.join(), a.beat()
    yield b.beat(shutdown_application=True), c.join()
    group.records()
    move_offsets(kafka, OTHER)
    yield "old", a.beat(), group.describe()
    group.node = delayed.node = group.log.node = delayed.log.node = OTHER
    yield group.describe()
    yield a.beat(), b.beat(), group.records(), group.state()
    yield a.report(), a.report(), b.beat(), group.records(), group.state()
    yield "no delay", c.beat(), delayed.records()
    move_offsets(kafka, 1)


@scenario(on=THREE, alone=True)
def streams_sessions_begin_again_with_a_new_coordinator(kafka: Kafka) -> Observations:
    """A new coordinator removes members that do not send heartbeats to it."""
    prepare(kafka)
    group = StreamsGroup(
        kafka,
        topology(subtopology("0", kafka.topic(2))),
        heartbeat_interval_ms=STREAMS_HEARTBEAT_MIN_MS,
        session_timeout_ms=SESSION_MIN_MS * 2,
    )
    group.member("a").join()
    group.records()
    move_offsets(kafka, OTHER)
    group.node = group.log.node = OTHER
    yield group.state()
    yield group.wait_for_records(_GROUP), group.state()
    move_offsets(kafka, 1)


@scenario(on=THREE)
def streams_requests_to_other_nodes(kafka: Kafka) -> Observations:
    """A node that is not the coordinator refuses requests, after invalid ones."""
    sent = topology(subtopology("0", kafka.topic()))
    group = kafka.new_name("group")
    leader = kafka.metadata("__consumer_offsets").partitions[0].leader_id
    other = next(each for each in kafka.nodes if each != leader)
    for request in (
        streams_join(group, "a", sent),
        streams_join(group, "", sent),
        streams_heartbeat(group, "a", -1),
        describe_streams(group, ""),
    ):
        yield kafka.request(request, node=other)


@scenario(on=THREE, alone=True)
def streams_internal_topics_have_replicas(kafka: Kafka) -> Observations:
    """An internal topic has the default number of replicas, or that of the topology."""
    prepare(kafka)
    topic = kafka.topic(2)
    names = [kafka.new_name("internal") for _ in range(2)]
    changelogs = [internal(names[0]), internal(names[1], 0, 3)]
    group = StreamsGroup(kafka, topology(subtopology("0", topic, changelogs=changelogs)))
    a = group.member("a")
    a.join()
    for name in names:
        eventually(partial(_exists, kafka, name), f"{name} exists")
        partitions = kafka.metadata(name).partitions
        yield name, [len(each.replica_nodes) for each in partitions]
    kafka.settle()
    settle_members(a)
    yield group.describe()


def _exists(kafka: Kafka, topic: str) -> bool:
    return bool(kafka.metadata(topic).error_code == 0)
