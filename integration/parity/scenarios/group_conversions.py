"""Groups with members of both protocols (KIP-848): conversions, and regular expressions."""

from __future__ import annotations

from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.group_requests import consumer_heartbeat, join, sync
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.consumer_protocol import (
    ConsumerProtocolSubscription,
    parse_assignment,
    write_assignment,
    write_subscription,
)
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.describe_groups import DescribeGroupsRequest


@scenario()
def last_consumer_leaves(kafka: Kafka) -> Observations:
    """The classic group has the target assignment, which is not the current one."""
    group, topic = kafka.new_name("group"), kafka.topic(3)
    _classic_member(kafka, group, topic, None)
    yield kafka.request(consumer_heartbeat(group, "k", 0, topics=[topic], owned={})).member_epoch
    yield kafka.request(consumer_heartbeat(group, "k", -1)).error_code
    yield "members", _described(kafka, group)


@scenario()
def last_consumer_returns_with_the_classic_protocol(kafka: Kafka) -> Observations:
    """It gets partitions that the other member has not revoked yet."""
    group, topic = kafka.new_name("group"), kafka.topic(3)
    _classic_member(kafka, group, topic, "c")
    first = consumer_heartbeat(group, "k", 0, topics=[topic], owned={}, instance="k")
    yield kafka.request(first).member_epoch
    again = kafka.request(_join(group, topic, "k"))
    yield again.error_code, again.generation_id
    synced = kafka.request(sync(group, again.member_id, again.generation_id, instance="k"))
    yield synced.error_code, _partitions(synced.assignment)
    yield "members", _described(kafka, group)


@scenario()
def classic_member_joins_a_group_with_a_new_regex(kafka: Kafka) -> Observations:
    """Its request begins the resolution, as the next heartbeat would."""
    group, one, other = kafka.new_name("group"), kafka.topic(), kafka.topic()
    kafka.request(consumer_heartbeat(group, "m", 0, regex=one, owned={}))
    eventually(lambda: _epochs(kafka, group)[0] == 2, "the first expression is resolved")
    kafka.request(consumer_heartbeat(group, "m", 1))
    yield kafka.request(consumer_heartbeat(group, "m", 2, regex=other)).error_code
    member_id = kafka.request(_join(group, one, None)).member_id
    yield kafka.request(_join(group, one, None, member_id)).generation_id
    eventually(lambda: _epochs(kafka, group)[0] == 4, "the second one is resolved")
    yield _epochs(kafka, group)


def _classic_member(kafka: Kafka, group: str, topic: str, instance: str | None) -> None:
    """Let a classic member have all partitions of *topic*."""
    joined = kafka.request(_join(group, topic, instance))
    if instance is None:
        joined = kafka.request(_join(group, topic, instance, joined.member_id))
    given = {joined.member_id: write_assignment({topic: [0, 1, 2]}, 0)}
    synced = kafka.request(
        sync(group, joined.member_id, joined.generation_id, given, instance=instance)
    )
    assert synced.error_code == 0, synced


def _join(group: str, topic: str, instance: str | None, member_id: str = "") -> Any:
    subscription = write_subscription(ConsumerProtocolSubscription(topics=[topic]), 0)
    return join(group, member_id, instance=instance, protocols=[("range", subscription)])


def _described(kafka: Kafka, group: str) -> list[list[int]]:
    (found,) = kafka.request(DescribeGroupsRequest(groups=[group])).groups
    return sorted(_partitions(each.member_assignment) for each in found.members)


def _partitions(assignment: bytes) -> list[int]:
    if not assignment:
        return []
    topics = parse_assignment(assignment).assigned_partitions
    return sorted(index for each in topics for index in each.partitions)


def _epochs(kafka: Kafka, group: str) -> tuple[int, int]:
    """The epoch of the group, and of its target assignment."""
    (found,) = kafka.request(ConsumerGroupDescribeRequest(group_ids=[group])).groups
    return found.group_epoch, found.assignment_epoch
