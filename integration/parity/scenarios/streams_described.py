"""Streams groups: descriptions in each state, lists with filters, and deletion."""

from __future__ import annotations

from typing import Any

from integration.parity.admin_requests import create_partitions
from integration.parity.group_requests import commit, committed
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.streams_group import StreamsGroup, settle_members
from integration.parity.streams_requests import (
    describe_streams,
    endpoint,
    internal,
    subtopology,
    tags,
    topology,
)
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.share_group_describe import ShareGroupDescribeRequest

STATES = ("Empty", "NotReady", "not_ready", "NOT_READY", "notready", "Assigning", "reconciling")


@scenario()
def streams_descriptions_in_each_state(kafka: Kafka) -> Observations:
    """A group is not ready, assigning, reconciling, stable and empty in turn."""
    topic = kafka.topic(2)
    sent = topology(subtopology("0", topic))
    group = StreamsGroup(kafka, sent, assignment_interval_ms=15_000)
    missing = StreamsGroup(kafka, topology(subtopology("0", kafka.new_name("absent"))))
    missing.member("a").join()
    yield "not ready", missing.describe()
    a, b = group.member("a"), group.member("b")
    a.join(rack_id="r", user_endpoint=endpoint("h", 7), client_tags=tags(("k", "v")))
    yield "stable", group.describe()
    b.join()
    yield "assigning", group.describe()
    group.set(assignment_interval_ms=0)
    b.beat()
    yield "reconciling", group.describe()
    a.beat()
    yield "revoking", group.describe()
    settle_members(a, b)
    yield "stable", group.describe()
    a.leave()
    yield "assigning", group.describe()
    b.leave()
    yield "empty", group.describe()


@scenario()
def streams_descriptions_of_topologies(kafka: Kafka) -> Observations:
    """Subtopologies and topics are sorted; internal topics have counts when they exist."""
    topic, other = kafka.topic(2), kafka.topic(2)
    names = [kafka.new_name("internal") for _ in range(4)]
    sent = topology(
        subtopology("2", repartition=[names[1], names[0]], changelogs=[names[3], names[2]]),
        subtopology("10", other, topic, sinks=[names[1], names[0]]),
        epoch=3,
    )
    group = StreamsGroup(kafka, sent)
    a = group.member("a")
    a.join()
    yield "as it was sent", group.describe()
    kafka.settle()
    a.beat()
    yield "with counts", group.describe()
    fixed = topology(
        subtopology(
            "0", topic, sinks=["streams-fixed"], repartition=[internal("streams-fixed", 5, 7)]
        )
    )
    group = StreamsGroup(kafka, fixed)
    a = group.member("a")
    a.join(), a.beat()
    yield group.describe()
    kafka.request(create_partitions(topic, 3))


@scenario()
def streams_descriptions_of_several_groups(kafka: Kafka) -> Observations:
    """Empty ids come first; unknown groups and groups of other types have errors."""
    sent = topology(subtopology("0", kafka.topic()))
    first, second = StreamsGroup(kafka, sent), StreamsGroup(kafka, sent)
    first.member("a").join()
    second.member("a").join()
    classic = kafka.new_name("classic")
    kafka.request(commit(classic, kafka.topic(), {0: 1}))
    groups = (first.id, "unknown", "", classic, second.id, first.id, "")
    yield kafka.request(describe_streams(*groups))
    yield kafka.request(describe_streams(*groups, operations=True))
    yield kafka.request(describe_streams())
    for described in (ConsumerGroupDescribeRequest, ShareGroupDescribeRequest):
        yield kafka.request(described(group_ids=list(groups)))


@scenario()
def streams_groups_in_lists(kafka: Kafka) -> Observations:
    """Lists have streams groups by type and by state, whose name has an underscore."""
    ready = topology(subtopology("0", kafka.topic()))
    missing = topology(subtopology("0", kafka.new_name("absent")))
    groups = [StreamsGroup(kafka, each) for each in (ready, ready, missing)]
    empty, stable, not_ready = groups
    a = empty.member("a")
    a.join(), a.leave()
    stable.member("a").join(), not_ready.member("a").join()
    ids = {each.id for each in groups}
    for types in ([], ["streams"], ["STREAMS"], ["Streams", "share"], ["consumer"], ["nonsense"]):
        yield types, _listed(kafka, ids, types_filter=types)
    for state in (*STATES, "Stable", "Dead", "nonsense"):
        yield state, _listed(kafka, ids, states_filter=[state])
    yield _listed(kafka, ids, states_filter=["stable", "not_ready"], types_filter=["streams"])
    yield "without types", _listed(kafka, ids, version=4)


@scenario()
def streams_groups_are_deleted(kafka: Kafka) -> Observations:
    """A group without members is deleted with its offsets; the next one may differ."""
    topic = kafka.topic(2)
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a = group.member("a")
    a.join()
    kafka.request(commit(group.id, topic, {0: 1, 1: 2}, member="a", generation=a.epoch))
    group.records()
    absent = kafka.new_name("absent")
    yield "with members", _deleted(kafka, absent, group.id)
    a.leave()
    yield group.records()
    yield "without", _deleted(kafka, group.id), sorted(group.records())
    yield group.describe(), kafka.request(committed(group.id, None))
    newer = topology(subtopology("0", topic), subtopology("1", topic), epoch=4)
    yield group.member("a", newer).join(), group.records()


def _listed(
    kafka: Kafka, ids: set[str], *, version: int | None = None, **filters: Any
) -> list[Any]:
    response = kafka.request(ListGroupsRequest(**filters), version)
    assert response.error_code == 0, response
    found = [each for each in response.groups if each.group_id in ids]
    return sorted(found, key=lambda each: str(each.group_id))


def _deleted(kafka: Kafka, *groups: str) -> list[Any]:
    response = kafka.request(DeleteGroupsRequest(groups_names=list(groups)))
    return sorted(response.results, key=lambda each: str(each.group_id))
