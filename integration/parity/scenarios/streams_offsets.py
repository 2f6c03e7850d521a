"""Offsets of streams groups: commits with member epochs, also in transactions, and deletion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from integration.parity.formatting import by_partition
from integration.parity.group_requests import commit, committed
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.streams_group import StreamsGroup, StreamsMember, settle_members
from integration.parity.streams_requests import delete_offsets, subtopology, topology
from integration.parity.transactional_producer import OLD, Producer

_BEFORE_EPOCHS = 8  # the last version of OffsetCommit that has no member epochs


@scenario()
def streams_commits_of_members(kafka: Kafka) -> Observations:
    """Commits need a member and its epoch, and may be for any topic."""
    topic, other = kafka.topic(2), kafka.topic()
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a = group.member("a")
    a.join(), a.join(process_id="other")
    group.records()
    for version in (_BEFORE_EPOCHS, 9):
        for member, epoch in (("", -1), ("unknown", 3), ("a", 3), ("a", 4), ("a", 9), ("a", -1)):
            sent = commit(group.id, topic, {0: 5}, member=member, generation=epoch)
            yield version, member, epoch, kafka.request(sent, version)
    for name, offsets in ((other, {0: 1}), (topic, {0: 1, 9: 1}), ("absent", {0: 1})):
        sent = commit(group.id, name, offsets, member="a", generation=a.epoch)
        yield by_partition(kafka.request(sent, 9))
    instance = commit(group.id, topic, {0: 6}, member="a", generation=a.epoch, instance="i")
    yield "instance", kafka.request(instance, 9)
    yield group.records()


@scenario()
def streams_commits_with_older_epochs(kafka: Kafka) -> Observations:
    """An older epoch suffices for tasks that the member had in it; one refusal is for all."""
    topic, other = kafka.topic(4), kafka.topic()
    group, a, b = _two_members(kafka, topic)
    yield group.state()
    for member, epoch, offsets in (
        (a, 2, {0: 1}),
        (a, 2, {0: 1, 1: 1}),
        (a, 2, {0: 1, 3: 1}),
        (a, 2, {3: 1}),
        (a, 2, {99: 1}),
        (a, 2, {0: 1, 99: 1}),
        (a, 1, {0: 1}),
        (a, 0, {0: 1}),
        (a, -1, {0: 1}),
        (a, 3, {3: 1}),
        (a, 3, {99: 1}),
        (b, 2, {2: 1}),
        (b, 3, {2: 1}),
        (b, 3, {0: 1}),
    ):
        yield member.id, epoch, _commit(kafka, group, topic, member, epoch, offsets)
    yield "another topic", _commit(kafka, group, other, a, 2, {0: 1})
    both = commit(group.id, topic, {0: 1}, member="a", generation=2)
    both.topics += commit(group.id, other, {0: 1}).topics
    yield "both", _sorted(kafka.request(both, 9))
    yield group.records()


@scenario()
def streams_commits_for_tasks_that_are_revoked(kafka: Kafka) -> Observations:
    """A task that has to be revoked may be committed until it has been revoked."""
    topic = kafka.topic(4)
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a, b = group.member("a"), group.member("b")
    a.join(), b.join(), a.beat()
    for offsets in ({0: 1}, {3: 1}):
        yield "before", _commit(kafka, group, topic, a, 2, offsets)
        yield "an epoch ago", _commit(kafka, group, topic, a, 1, offsets)
    a.report(), b.beat()
    for offsets in ({0: 1}, {3: 1}):
        yield "after", _commit(kafka, group, topic, a, 2, offsets)


@scenario()
def streams_commits_to_empty_groups(kafka: Kafka) -> Observations:
    """Without members a commit needs no member, unless it has an epoch."""
    topic = kafka.topic()
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a = group.member("a")
    a.join(), a.leave()
    for member, epoch in (("", -1), ("a", -1), ("a", -2), ("a", 0), ("a", 2), ("", 2)):
        for version in (_BEFORE_EPOCHS, 9):
            sent = commit(group.id, topic, {0: 5}, member=member, generation=epoch)
            yield version, member, epoch, kafka.request(sent, version)
    yield kafka.request(committed(group.id, None))


@scenario()
def streams_commits_in_transactions(kafka: Kafka) -> Observations:
    """Offsets in a transaction follow the same rules, with another error for wrong epochs."""
    topic = kafka.topic(4)
    group, a, b = _two_members(kafka, topic)
    group.records()
    producer = Producer(kafka, OLD)
    producer.add_offsets(group.id)
    for member, epoch, offsets in (
        ("", -1, {0: 3}),
        ("unknown", 3, {0: 3}),
        (a.id, 3, {0: 4}),
        (a.id, 2, {0: 5}),
        (a.id, 2, {3: 5}),
        (a.id, 9, {0: 5}),
        (b.id, 2, {2: 5}),
        (b.id, 3, {2: 6}),
    ):
        response = producer.commit_offsets(
            group.id, topic, offsets, member=member, generation=epoch
        )
        yield member, epoch, response
    yield producer.commit_offsets(group.id, topic, {0: 9}, instance="i")
    producer.complete()
    yield kafka.request(committed(group.id, {topic: [0, 1, 2, 3]}))


@scenario()
def streams_offsets_are_fetched(kafka: Kafka) -> Observations:
    """A fetch with a member needs its epoch; one without a member gets everything."""
    topic = kafka.topic(2)
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a = group.member("a")
    a.join()
    kafka.request(commit(group.id, topic, {0: 5}, member="a", generation=a.epoch))
    for member, epoch in (
        (None, -1),
        (None, 0),
        (None, 2),
        ("", -1),
        ("a", 2),
        ("a", 1),
        ("a", 3),
        ("a", -1),
        ("unknown", 2),
        ("unknown", -1),
    ):
        for topics in ({topic: [0, 1]}, None):
            sent = committed(group.id, topics)
            sent.groups[0].member_id, sent.groups[0].member_epoch = member, epoch
            yield member, epoch, kafka.request(sent, 9)


@scenario()
def streams_offsets_are_deleted(kafka: Kafka) -> Observations:
    """Offsets of source topics are kept while the group has members, those of others are not."""
    topic, other, repartition = kafka.topic(2), kafka.topic(), kafka.topic(2)
    sent = topology(
        subtopology("0", topic, sinks=[repartition]), subtopology("1", repartition=[repartition])
    )
    group = StreamsGroup(kafka, sent)
    a = group.member("a")
    a.join()
    for name in (topic, other, repartition):
        kafka.request(commit(group.id, name, {0: 5}, member="a", generation=a.epoch))
    group.records()
    names = (topic, other, repartition, kafka.new_name("absent"))
    for name in names:
        yield name, kafka.request(delete_offsets(group.id, name, 0, 1)), group.records()
    a.leave()
    group.records()
    for name in names:
        yield name, kafka.request(delete_offsets(group.id, name, 0)), group.records()


def _two_members(kafka: Kafka, topic: str) -> tuple[StreamsGroup, StreamsMember, StreamsMember]:
    """A group at epoch 3 whose first member keeps tasks of epoch 2."""
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a, b = group.member("a"), group.member("b")
    a.join(), b.join()
    settle_members(a, b)
    return group, a, b


def _commit(
    kafka: Kafka,
    group: StreamsGroup,
    topic: str,
    member: StreamsMember,
    epoch: int,
    offsets: Mapping[int, int],
) -> Any:
    sent = commit(group.id, topic, offsets, member=member.id, generation=epoch)
    return _sorted(kafka.request(sent, 9))


def _sorted(response: Any) -> Any:
    response.topics.sort(key=lambda each: each.name)
    return by_partition(response)
