"""Streams groups: endpoints of members, shutdown of applications, and stale topologies."""

from __future__ import annotations

from integration.parity.admin_requests import create_topics, new_topic
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.streams_group import StreamsGroup, settle_members
from integration.parity.streams_requests import endpoint, subtopology, topology


@scenario()
def streams_endpoints_of_members(kafka: Kafka) -> Observations:
    """Members learn the endpoints of others, with their partitions, if they do not know them."""
    group = StreamsGroup(kafka, topology(subtopology("0", kafka.topic(4), kafka.topic(2))))
    a, b, c = map(group.member, "abc")
    yield "nobody has one", c.join(), c.beat(endpoint_information_epoch=1)
    yield a.join(user_endpoint=endpoint("ha"))
    yield b.join(user_endpoint=endpoint("hb", 2))
    for _ in range(3):
        yield c.report(), a.report(), b.report()
    for epoch in (0, 1, 5, 6, 7, 8, -1):
        yield epoch, c.beat(endpoint_information_epoch=epoch)
    yield b.leave()
    yield a.beat(), c.beat()
    yield group.describe().members


@scenario()
def streams_endpoints_with_standby_tasks(kafka: Kafka) -> Observations:
    """The partitions of standby tasks are separate from those of active ones."""
    topic, changelog = kafka.topic(2), kafka.new_name("changelog")
    kafka.request(create_topics(new_topic(changelog, 2)))
    sent = topology(subtopology("0", topic, changelogs=[changelog]))
    group = StreamsGroup(kafka, sent, num_standby_replicas=1)
    a, b = group.member("a"), group.member("b")
    yield a.join(user_endpoint=endpoint("ha"))
    yield b.join(user_endpoint=endpoint("hb"))
    settle_members(a, b)
    yield a.beat(endpoint_information_epoch=-1)
    yield b.beat(endpoint_information_epoch=4, user_endpoint=endpoint("new"))
    yield a.beat(endpoint_information_epoch=-1)


@scenario()
def streams_shutdown_of_the_application(kafka: Kafka) -> Observations:
    """Responses to all members name who requested the shutdown, until the group is empty."""
    group = StreamsGroup(kafka, topology(subtopology("0", kafka.topic(2))))
    a, b, c = map(group.member, "abc")
    yield "forgotten with the join", a.join(shutdown_application=True)
    yield a.beat(), b.join()
    yield b.beat(shutdown_application=True)
    yield a.beat(), a.beat(shutdown_application=True)
    yield "joins", c.join()
    yield c.leave(shutdown_application=True), b.leave()
    yield "remains", a.beat()
    yield a.leave()
    yield "an empty group forgets it", a.join(), a.beat()
    yield group.records()


@scenario()
def streams_shutdown_by_leaving(kafka: Kafka) -> Observations:
    """A member that leaves can request it, and so can one that is no member."""
    group = StreamsGroup(kafka, topology(subtopology("0", kafka.topic(2))))
    a, b, unknown = group.member("a"), group.member("b"), group.member("unknown")
    a.join()
    yield unknown.leave(shutdown_application=True)
    yield a.beat()
    yield b.join()
    yield b.leave(shutdown_application=True)
    yield a.beat()
    yield unknown.at(2, shutdown_application=True)


@scenario()
def streams_stale_topologies(kafka: Kafka) -> Observations:
    """A member with an older topology takes part, and its responses have a status for that."""
    topic = kafka.topic(4)
    group = StreamsGroup(kafka, topology(subtopology("0", topic), epoch=5))
    a = group.member("a")
    b = group.member("b", topology(subtopology("0", kafka.topic()), epoch=3))
    yield a.join(), group.records()
    yield b.join(), group.records()
    yield a.report(), a.report(), b.beat(), b.beat(), group.records()
    yield group.describe()
    yield "joins with the new one", group.member("b", group.topology).join(), group.records()
    yield "returns to the old one", b.join(), group.records()
