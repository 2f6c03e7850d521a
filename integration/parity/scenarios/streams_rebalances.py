"""Streams groups: members that come, leave and change, and the tasks that they exchange."""

from __future__ import annotations

from typing import Any

from integration.parity.admin_requests import create_topics, new_topic
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.streams_group import StreamsGroup, settle_members
from integration.parity.streams_requests import (
    endpoint,
    owned,
    subtopology,
    tags,
    topology,
)


@scenario()
def streams_group_of_one(kafka: Kafka) -> Observations:
    """A single member gets all tasks at once; a heartbeat changes nothing; it leaves."""
    group = _group(kafka, 3)
    a = group.member("a")
    yield "joins", a.join(), group.records()
    yield "again", a.beat(), group.records()
    yield group.describe()
    yield "rejoins", a.join(), group.records()
    yield "leaves", a.leave(), group.records()
    yield group.describe()
    yield "returns", a.join(), group.records()


@scenario()
def streams_members_revoke_tasks(kafka: Kafka) -> Observations:
    """A new member gets tasks when the present one has revoked them."""
    group = _group(kafka, 4)
    a, b = group.member("a"), group.member("b")
    yield a.join(), group.records()
    yield "newcomer", b.join(), group.records()
    yield b.beat(), group.records(), group.state()
    yield "has to revoke", a.beat(), group.records(), group.state()
    yield "still has", a.beat(**owned({"0": [0, 1, 2, 3]})), group.records()
    yield "says nothing", a.beat(), group.records()
    yield "not yet", b.beat(), group.records()
    yield "revokes", a.report(), group.records(), group.state()
    yield "gets them", b.beat(), group.records(), group.state()
    yield b.beat(), a.beat(), group.records()
    yield "leaves", b.leave(), group.records(), group.state()
    yield "gets all", a.beat(), group.records(), group.state()


@scenario()
def streams_members_revoke_at_once(kafka: Kafka) -> Observations:
    """Tasks are revoked by a heartbeat that no longer has them, or by another join."""
    group = _group(kafka, 4)
    a, b, c = map(group.member, "abc")
    a.join()
    b.join()
    group.records()
    yield "without them", a.beat(**owned({"0": [0, 1]})), group.records()
    b.beat()
    group.records()
    yield c.join(), group.records()
    yield "joins again", a.join(), group.records()
    yield b.join(), group.records()
    yield c.beat(), a.beat(), b.beat(), group.records(), group.state()


@scenario()
def streams_three_members_share_tasks(kafka: Kafka) -> Observations:
    """Three members of two subtopologies come one by one, and one leaves."""
    sent = topology(subtopology("0", kafka.topic(4)), subtopology("1", kafka.topic(3)))
    group = StreamsGroup(kafka, sent)
    members = [group.member(name) for name in ("x", "y", "z")]
    for number, each in enumerate(members, 1):
        yield each.join()
        for present in members[:number] * 2:
            yield present.report()
        yield group.records(), group.state()
    yield members[1].leave()
    for present in (members[0], members[2]) * 2:
        yield present.report()
    yield group.records(), group.state()


@scenario()
def streams_six_members_with_one_task_each(kafka: Kafka) -> Observations:
    """Members whose ids are in any order of a hash table, and one more than there are tasks."""
    group = _group(kafka, 5)
    members = [group.member(name) for name in ("q", "a", "m-17", "b", "r", "client-0001")]
    for each in members:
        each.join()
    settle_members(*members)
    yield group.state()
    yield group.records()
    members[3].leave()
    settle_members(*members[:3], *members[4:])
    yield group.state()


@scenario()
def streams_members_of_one_process(kafka: Kafka) -> Observations:
    """Two members of one process, and one of another, which gets as many tasks as both."""
    group = _group(kafka, 6)
    a, b, c = map(group.member, "abc")
    yield a.join(process_id="p")
    yield b.join(process_id="p")
    settle_members(a, b)
    yield group.state()
    yield c.join(process_id="q")
    settle_members(a, b, c)
    yield group.state()
    yield group.records()


@scenario()
def streams_standby_tasks(kafka: Kafka) -> Observations:
    """Stateful tasks have standby tasks in other processes, not in the same one."""
    group = _group(kafka, 4, changelog=True, num_standby_replicas=1)
    a, b, c = map(group.member, "abc")
    yield a.join(process_id="p"), group.records()
    yield "same process", b.join(process_id="p")
    settle_members(a, b)
    yield group.state(), group.records()
    yield "another", c.join(process_id="q")
    settle_members(a, b, c)
    yield group.state(), group.records()
    yield c.leave()
    settle_members(a, b)
    yield group.state(), group.records()


@scenario()
def streams_standby_tasks_become_active(kafka: Kafka) -> Observations:
    """When a member leaves, the member with its standby tasks gets them."""
    group = _group(kafka, 4, changelog=True, num_standby_replicas=1)
    a, b, c = map(group.member, "abc")
    for each in (a, b, c):
        each.join()
    settle_members(a, b, c)
    yield group.state()
    group.records()
    yield a.leave()
    yield b.report(), c.report(), b.report(), c.report()
    yield group.state(), group.records()


@scenario()
def streams_number_of_standbys_changes(kafka: Kafka) -> Observations:
    """Another number of standbys lets the next heartbeat of a member reassign all tasks."""
    group = _group(kafka, 2, changelog=True)
    a, b = group.member("a"), group.member("b")
    a.join()
    b.join()
    settle_members(a, b)
    group.records()
    for standbys in (1, 0, 2):
        group.set(num_standby_replicas=standbys)
        yield standbys, b.beat(), group.records()
        yield a.report(), b.report(), a.report(), b.report(), group.records()
        yield group.state()


@scenario()
def streams_more_members_than_tasks(kafka: Kafka) -> Observations:
    """A member without tasks waits for those of another one."""
    group = _group(kafka, 1)
    a, b = group.member("a"), group.member("b")
    yield a.join(), b.join()
    yield b.beat(), a.beat(), group.state()
    yield a.leave(), b.beat(), group.records()


@scenario()
def streams_members_change_their_metadata(kafka: Kafka) -> Observations:
    """Each change of a member increases the group epoch; fields that are left out remain."""
    group = _group(kafka, 2)
    a, b = group.member("a"), group.member("b")
    a.join()
    b.join()
    settle_members(a, b)
    group.records()
    fields: dict[str, Any]
    for fields in (
        {"rack_id": "r"},
        {"rack_id": "r"},
        {"process_id": "other"},
        {"user_endpoint": endpoint("h", 3)},
        {"user_endpoint": endpoint("h", 3)},
        {"client_tags": tags(("k", "v"), ("a", "b"))},
        {"client_tags": tags(("a", "b"), ("k", "v"))},
        {"client_tags": []},
        {"rebalance_timeout_ms": 5000},
        {"rebalance_timeout_ms": -1},
        {},
    ):
        yield fields, b.beat(**fields), group.records()
    yield a.beat(), group.records()
    yield group.describe()


@scenario()
def streams_member_with_another_client_id(kafka: Kafka) -> Observations:
    """The client id of each heartbeat is kept; another one increases the group epoch."""
    group = _group(kafka, 2)
    first = group.member("a")
    first.join()
    group.records()
    client = kafka.connect(client_id="another")
    second = group.member("a", client=client)
    yield second.at(2), group.records()
    yield second.beat(), group.records()
    yield first.at(3), group.records()
    yield group.describe()


@scenario()
def streams_member_joins_with_another_process(kafka: Kafka) -> Observations:
    """A member that joins again in another process keeps its tasks."""
    group = _group(kafka, 2)
    a = group.member("a")
    a.join()
    group.records()
    yield a.join(process_id="other"), group.records()
    yield a.join(process_id="other"), group.records()
    yield group.describe()


@scenario()
def streams_members_leave_while_tasks_move(kafka: Kafka) -> Observations:
    """A member leaves before it has revoked its tasks, or before it has got any."""
    group = _group(kafka, 4)
    a, b, c = map(group.member, "abc")
    a.join()
    b.join()
    a.beat()
    group.records()
    yield "has to revoke", a.leave(), group.records()
    yield b.beat(), group.records()
    yield c.join(), b.beat(), group.records()
    yield "has got none", c.leave(), group.records()
    yield b.report(), b.report(), b.beat(), group.records(), group.state()


@scenario()
def streams_tasks_of_subtopologies_in_order(kafka: Kafka) -> Observations:
    """Subtopologies with ids that are no numbers are in the order of a hash table."""
    topic = kafka.topic(2)
    names = ("10", "3", "b", "a", "eleven", "9")
    group = StreamsGroup(kafka, topology(*[subtopology(each, topic) for each in names]))
    a, b = group.member("a"), group.member("b")
    yield a.join(), group.records()
    yield b.join(), group.records()
    yield a.beat(), a.report(), b.beat(), group.records()
    yield group.describe()


def _group(
    kafka: Kafka, partitions: int, *, changelog: bool = False, **configs: int
) -> StreamsGroup:
    """A group of one subtopology, which may have a state."""
    topic = kafka.topic(partitions)
    changelogs = []
    if changelog:
        changelogs = [kafka.new_name("changelog")]
        created = kafka.request(create_topics(new_topic(changelogs[0], partitions)))
        assert created.topics[0].error_code == 0, created
    sent = topology(subtopology("0", topic, changelogs=changelogs))
    return StreamsGroup(kafka, sent, **configs)
