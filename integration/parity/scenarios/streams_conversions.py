"""Streams groups and groups of other types: refused requests, and groups that change their type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from integration.parity.group_requests import (
    commit,
    committed,
    consumer_heartbeat,
    heartbeat,
    join,
    leave,
    sync,
)
from integration.parity.members import stable
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.share_requests import describe_offsets, share_heartbeat
from integration.parity.streams_group import StreamsGroup
from integration.parity.streams_requests import streams_heartbeat, subtopology, topology
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.share_group_describe import ShareGroupDescribeRequest

_MEMBER = "AAAAAAAAAAAAAAAAAAAAAA"


@scenario()
def other_requests_to_streams_groups(kafka: Kafka) -> Observations:
    """Requests of other protocols are refused, whether the group has members or not."""
    topic = kafka.topic()
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a = group.member("a")
    a.join()
    for request, version in _requests(group.id, topic):
        yield "with members", type(request).__name__, kafka.request(request, version)
    a.leave()
    group.records()
    for request, version in _requests(group.id, topic):
        if not isinstance(request, type(join(""))):
            yield "without", type(request).__name__, kafka.request(request, version)
    yield group.records(), group.describe()


@scenario()
def streams_heartbeats_to_other_groups(kafka: Kafka) -> Observations:
    """Consumer, share and classic groups with members do not become streams groups."""
    topic = kafka.topic()
    sent = topology(subtopology("0", topic))
    consumer, share = StreamsGroup(kafka, sent), StreamsGroup(kafka, sent)
    owner = consumer_heartbeat(consumer.id, _MEMBER, 0, topics=[topic], owned={})
    kafka.request(owner)
    kafka.request(share_heartbeat(share.id, _MEMBER, 0, topics=[topic]))
    classic = StreamsGroup(kafka, sent)
    (member,) = stable(kafka, classic.id)
    for group in (consumer, share, classic):
        yield from _refused(group)
    kafka.request(consumer_heartbeat(consumer.id, _MEMBER, -1))
    kafka.request(share_heartbeat(share.id, _MEMBER, -1))
    kafka.request(leave(classic.id, member.id))
    for group in (consumer, share):
        yield "without members", list(_refused(group))
    for epoch in (1, -1):
        yield "classic", kafka.request(streams_heartbeat(classic.id, "a", epoch))
    classic.records()
    yield classic.member("a").join(), classic.records()


@scenario()
def classic_group_becomes_a_streams_group(kafka: Kafka) -> Observations:
    """A streams group keeps the offsets of the classic group that it replaces."""
    topic = kafka.topic(2)
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    kafka.request(commit(group.id, topic, {0: 7, 1: 8}))
    group.records()
    a = group.member("a")
    yield "refused", group.member("a", topology(subtopology("0"))).join(), group.records()
    yield "joins", a.join(), group.records()
    yield kafka.request(committed(group.id, {topic: [0, 1]}))
    yield group.describe()
    yield a.beat(), group.records()


@scenario()
def streams_group_becomes_a_classic_group(kafka: Kafka) -> Observations:
    """A classic member replaces an empty streams group, keeps its offsets, and is replaced."""
    topic = kafka.topic(2)
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a = group.member("a")
    a.join()
    kafka.request(commit(group.id, topic, {0: 7}, member="a", generation=a.epoch))
    a.leave()
    group.records()
    (member,) = stable(kafka, group.id)
    yield [each.partition(" ")[0] for each in group.records() if "tombstone" in each]
    yield kafka.request(committed(group.id, {topic: [0, 1]}))
    yield group.describe(), a.join()
    kafka.request(leave(group.id, member.id))
    group.records()
    yield a.join(), group.records()
    yield kafka.request(committed(group.id, {topic: [0, 1]}))


def _requests(group: str, topic: str) -> Iterator[tuple[Any, int | None]]:
    yield join(group), None
    yield join(group), 3
    yield sync(group, "a", 2), None
    yield heartbeat(group, "a", 2), None
    yield leave(group, "a"), None
    for epoch in (0, 1, -1):
        yield consumer_heartbeat(group, _MEMBER, epoch, topics=[topic], owned={}), None
        yield share_heartbeat(group, _MEMBER, epoch, topics=[topic]), None
    yield DescribeGroupsRequest(groups=[group]), None
    yield DescribeGroupsRequest(groups=[group]), 5
    yield ConsumerGroupDescribeRequest(group_ids=[group]), None
    yield ShareGroupDescribeRequest(group_ids=[group]), None
    yield describe_offsets(group, topic, 0), None


def _refused(group: StreamsGroup) -> Iterator[object]:
    yield group.member("a").join()
    for epoch in (1, -1):
        yield group.member("a").at(epoch)
    yield group.describe()
