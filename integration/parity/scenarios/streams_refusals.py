"""Streams groups: heartbeats that are refused, in which order, and odd ones that are accepted."""

from __future__ import annotations

from typing import Any

from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import STREAMS_MEMBERS_MAX
from integration.parity.streams_group import StreamsGroup
from integration.parity.streams_requests import (
    endpoint,
    internal,
    owned,
    streams_heartbeat,
    streams_join,
    subtopology,
    tags,
    tasks,
    topology,
)
from protocol.messages.streams_group_heartbeat import TaskOffset

ONE_TASK = {"0": [0]}


@scenario()
def streams_joins_with_wrong_fields(kafka: Kafka) -> Observations:
    """A join must have a timeout, empty tasks and a topology; some fields are not supported."""
    group, sent = kafka.new_name("group"), topology(subtopology("0", kafka.topic()))
    wrong: dict[str, Any]
    for wrong in (
        {"member_id": ""},
        {"group_id": ""},
        {"group_id": "", "member_id": ""},
        {"rack_id": ""},
        {"instance_id": "i"},
        {"instance_id": ""},
        {"task_offsets": []},
        {"task_offsets": [TaskOffset(subtopology_id="0", partition=0, offset=1)]},
        {"task_end_offsets": []},
        {"warmup_tasks": tasks(ONE_TASK)},
        {"rebalance_timeout_ms": -1},
        {"active_tasks": tasks(ONE_TASK)},
        {"active_tasks": None},
        {"standby_tasks": tasks(ONE_TASK)},
        {"standby_tasks": None},
        {"warmup_tasks": None},
        {"active_tasks": None, "standby_tasks": None, "warmup_tasks": None},
        {"topology": None},
    ):
        request = streams_join(group, "a", sent)
        for name, value in wrong.items():
            setattr(request, name, value)
        yield wrong, kafka.request(request)
    yield StreamsGroup(kafka).describe()


@scenario()
def streams_heartbeats_with_wrong_fields(kafka: Kafka) -> Observations:
    """Epochs below -2, a topology after the join, and some of the three lists of tasks."""
    group, sent = kafka.new_name("group"), topology(subtopology("0", kafka.topic()))
    wrong: tuple[tuple[int, dict[str, Any]], ...] = (
        (-2, {}),
        (-2, {"instance_id": "i"}),
        (-3, {}),
        (-(1 << 31), {}),
        (1, {"topology": sent}),
        (-1, {"topology": sent}),
        (1, {"active_tasks": []}),
        (1, {"standby_tasks": []}),
        (1, {"warmup_tasks": []}),
        (1, {"active_tasks": [], "standby_tasks": []}),
        (1, {"active_tasks": [], "standby_tasks": [], "warmup_tasks": tasks(ONE_TASK)}),
        (-1, {"active_tasks": []}),
    )
    for epoch, fields in wrong:
        yield epoch, kafka.request(streams_heartbeat(group, "a", epoch, **fields))


@scenario()
def streams_refusals_have_an_order(kafka: Kafka) -> Observations:
    """Names of topics are checked before fields, unsupported fields before invalid ones."""
    group = kafka.new_name("group")
    good, bad = topology(subtopology("0", kafka.topic())), topology(subtopology("0", "a b"))
    regex = topology(subtopology("0", regexes=["a.*"]))
    counted = topology(subtopology("0", changelogs=[internal("c", 3)]))
    for what, request in (
        ("name, member", streams_join(group, "", bad)),
        ("name, instance", streams_join(group, "a", bad, instance_id="i")),
        ("instance, offsets", streams_join(group, "a", good, instance_id="i", task_offsets=[])),
        ("offsets", streams_join(group, "a", good, task_end_offsets=[], task_offsets=[])),
        (
            "end offsets, warm-up",
            streams_join(group, "a", good, task_end_offsets=[], warmup_tasks=tasks(ONE_TASK)),
        ),
        ("warm-up, regex", streams_join(group, "a", regex, warmup_tasks=tasks(ONE_TASK))),
        ("regex, member", streams_join(group, "", regex)),
        ("member, rack", streams_join(group, "", good, rack_id="")),
        ("rack, timeout", streams_join(group, "a", good, rack_id="", rebalance_timeout_ms=-1)),
        (
            "timeout, tasks",
            streams_join(group, "a", good, rebalance_timeout_ms=-1, active_tasks=None),
        ),
        ("tasks", streams_join(group, "a", good, active_tasks=None, standby_tasks=None)),
        ("tasks, topology", streams_join(group, "a", None, standby_tasks=None)),
        ("count", streams_join(group, "a", counted)),
        ("count, tasks", streams_join(group, "a", counted, active_tasks=None)),
        ("topology at an epoch", streams_heartbeat(group, "a", 1, topology=bad)),
        ("topology at -3", streams_heartbeat(group, "a", -3, topology=good)),
        ("tasks at -3", streams_heartbeat(group, "a", -3, active_tasks=[])),
    ):
        yield what, kafka.request(request)


@scenario()
def streams_topologies_with_names_of_kafka(kafka: Kafka) -> Observations:
    """Internal topics of Kafka and invalid names are refused wherever they are in a topology."""
    group, topic = kafka.new_name("group"), kafka.topic()
    offsets, state, share = "__consumer_offsets", "__transaction_state", "__share_group_state"
    for sent in (
        topology(subtopology("0", offsets)),
        topology(subtopology("0", topic, changelogs=[share], sinks=[state], repartition=[offsets])),
        topology(subtopology("1", topic, sinks=[state]), subtopology("0", offsets, offsets)),
        topology(subtopology("0", topic, "a b", "*")),
        topology(subtopology("0", "a b", offsets)),
        topology(subtopology("0", "")),
        topology(subtopology("0", topic, changelogs=["a b"], sinks=["c d"], repartition=["e f"])),
        topology(subtopology("0", "x" * 250, ".", "..")),
    ):
        yield kafka.request(streams_join(group, "a", sent))


@scenario()
def streams_heartbeats_of_unknown_members(kafka: Kafka) -> Observations:
    """Unknown groups and members, when they stay and when they leave, and wrong epochs."""
    sent = topology(subtopology("0", kafka.topic()))
    group = StreamsGroup(kafka, sent)
    a, unknown = group.member("a"), group.member("unknown")
    absent = kafka.new_name("absent")
    for epoch in (1, -1):
        yield "no group", epoch, kafka.request(streams_heartbeat(absent, "a", epoch))
    a.join()
    for epoch in (2, 1, -1):
        yield "no member", epoch, unknown.at(epoch)
    for epoch in (9, 1, 3):
        yield "epoch", epoch, a.at(epoch)
    yield a.at(2)
    yield group.state()


@scenario()
def streams_members_with_wrong_tasks(kafka: Kafka) -> Observations:
    """A member must not have tasks of unknown subtopologies and partitions."""
    group = StreamsGroup(kafka, topology(subtopology("0", kafka.topic(2))))
    a = group.member("a")
    a.join()
    group.records()
    for active, standby in (
        ({"9": [0]}, {}),
        ({"0": [7]}, {}),
        ({"0": [2]}, {}),
        ({"0": [-1]}, {}),
        ({"0": [0, 1]}, {"9": [0]}),
        ({"0": [0, 1]}, {"0": [5]}),
        ({"9": []}, {}),
        ({"0": [5], "9": [0]}, {}),
        ({"0": [0, 1]}, {}),
        ({"0": [1]}, {"0": [0]}),
        ({}, {}),
    ):
        yield active, standby, a.at(2, **owned(active, standby))
    yield group.records()


@scenario()
def streams_group_is_full(kafka: Kafka) -> Observations:
    """A group has a largest size, which also refuses the members that join again."""
    group = StreamsGroup(kafka, topology(subtopology("0", kafka.topic(2))))
    members = [group.member(f"m{number}") for number in range(STREAMS_MEMBERS_MAX)]
    for each in members:
        each.join()
    first = members[0]
    yield group.member("another").join()
    yield "again", first.join()
    yield "stays", first.beat()
    yield "leaves", first.leave()
    yield "joins", first.join()


@scenario()
def streams_topologies_are_not_updated(kafka: Kafka) -> Observations:
    """A group keeps its first topology until it is deleted, also while it is empty."""
    topic = kafka.topic(2)
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a, b = group.member("a"), group.member("b")
    a.join()
    b.join()
    group.records()
    other = topology(subtopology("0", topic, sinks=[topic]))
    newer = topology(subtopology("0", topic), epoch=1)
    for sent in (other, newer):
        yield "a member", group.member("a", sent).join()
        yield "a new one", group.member("c", sent).join()
    yield a.leave(), b.leave()
    for sent in (other, newer):
        yield "an empty group", group.member("c", sent).join()
    yield group.records()
    yield group.member("c").join()


@scenario()
def streams_joins_with_odd_fields(kafka: Kafka) -> Observations:
    """Long member ids, no process id, odd timeouts, endpoints and epochs are accepted."""
    sent = topology(subtopology("0", kafka.topic()))
    for member, fields in (
        ("m" * 100, {}),
        ("a", {"process_id": None}),
        ("a", {"process_id": ""}),
        ("a", {"client_tags": None}),
        ("a", {"client_tags": tags(("", ""), ("b", "2"), ("a", "1"))}),
        ("a", {"rebalance_timeout_ms": 0}),
        ("a", {"rebalance_timeout_ms": -2}),
        ("a", {"rack_id": "r"}),
        ("a", {"endpoint_information_epoch": 7}),
        ("a", {"endpoint_information_epoch": -1}),
        ("a", {"user_endpoint": endpoint("", 0)}),
        ("a", {"user_endpoint": endpoint("h", 65535)}),
    ):
        group = StreamsGroup(kafka, sent)
        yield fields, group.member(member).join(**fields)
        yield group.records()
        yield group.describe().members


@scenario()
def streams_joins_with_repeated_fields(kafka: Kafka) -> Observations:
    """Tags and subtopologies that are named twice, and a negative topology epoch, are errors."""
    topic = kafka.topic()
    sent = topology(subtopology("0", topic))
    group = StreamsGroup(kafka, sent)
    yield group.member("a").join(client_tags=tags(("a", "1"), ("a", "2")))
    twice = topology(subtopology("0", topic), subtopology("0", topic))
    yield group.member("a", twice).join()
    yield group.member("a", topology(subtopology("0", topic), epoch=-1)).join()
    yield group.describe(), group.records()
    yield group.member("a", topology(subtopology("", topic, topic), epoch=5)).join()
    yield group.records()


@scenario()
def streams_members_with_the_previous_epoch(kafka: Kafka) -> Observations:
    """The previous epoch is accepted with tasks that the member has been assigned."""
    group = StreamsGroup(kafka, topology(subtopology("0", kafka.topic(4))))
    a, b = group.member("a"), group.member("b")
    a.join()
    b.join()
    a.beat()
    yield a.report()
    for active, standby in (
        ({"0": [0]}, {}),
        ({}, {}),
        ({"0": [0, 1]}, {}),
        ({"0": [0, 1, 2]}, {}),
        ({"0": [2]}, {}),
        ({"0": [0]}, {"0": [1]}),
        ({"9": []}, {}),
    ):
        yield active, standby, a.at(2, **owned(active, standby))
    yield "no tasks", a.at(2)
    yield "two epochs ago", a.at(1, **owned())
    yield "its own", a.at(3)
