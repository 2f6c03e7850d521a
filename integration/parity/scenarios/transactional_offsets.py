"""Offsets that are committed in a transaction: pending until its marker, and their checks."""

from __future__ import annotations

from integration.parity.group_requests import (
    commit,
    committed,
    consumer_heartbeat,
    find_coordinator,
)
from integration.parity.members import Member, stable
from integration.parity.requests import fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import Identity, commit_in_txn
from integration.parity.transactional_producer import NEW, OLD, Producer
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic


@scenario()
def offsets_are_pending_until_the_commit(kafka: Kafka) -> Observations:
    """Until the marker, the old offset is returned, or UNSTABLE_OFFSET_COMMIT if required."""
    topic = kafka.topic(2)
    for versions in (OLD, NEW):
        group, producer = kafka.new_name("group"), Producer(kafka, versions)
        kafka.request(commit(group, topic, {0: 1, 1: 1}))
        if versions is OLD:
            yield producer.add_offsets(group)
        yield producer.commit_offsets(group, topic, {0: 5})
        yield from _offsets(kafka, group, topic)
        yield producer.describe()
        yield producer.end(), producer.settle()
        yield from _offsets(kafka, group, topic)


@scenario()
def offsets_of_aborted_transactions(kafka: Kafka) -> Observations:
    """An abort removes the pending offsets; without a commit there is none."""
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    for offset in (3, 5):
        producer.commit_offsets(group, topic, {0: offset})
        yield offset, *_offsets(kafka, group, topic)
        producer.complete(commit=False)
        yield offset, *_offsets(kafka, group, topic)
        kafka.request(commit(group, topic, {0: 1}))


@scenario()
def pending_offsets_in_every_version(kafka: Kafka) -> Observations:
    """OffsetFetch returns the requirement's error in version 7 and later."""
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    yield producer.commit_offsets(group, topic, {0: 5}, metadata="meta")
    for version in (1, 5, 7):
        for require_stable in (False, True):
            requested = OffsetFetchRequest(
                group_id=group,
                topics=[OffsetFetchRequestTopic(name=topic, partition_indexes=[0])],
                require_stable=require_stable,
            )
            yield version, require_stable, kafka.request(requested, version)
    for version in (8, 9):
        for topics in ({topic: [0]}, None):
            for require_stable in (False, True):
                requested = committed(group, topics, require_stable=require_stable)
                yield version, require_stable, kafka.request(requested, version)
    producer.complete()
    yield kafka.request(committed(group, {topic: [0]}, require_stable=True))


@scenario()
def later_commits_win(kafka: Kafka) -> Observations:
    """An offset that is committed during the transaction, after the pending one, is kept."""
    topic = kafka.topic(2)
    group, first, second = kafka.new_name("group"), Producer(kafka), Producer(kafka)
    kafka.request(commit(group, topic, {1: 1}))
    first.commit_offsets(group, topic, {0: 5, 1: 5})
    kafka.request(commit(group, topic, {0: 2}))
    yield from _offsets(kafka, group, topic)
    first.complete()
    yield from _offsets(kafka, group, topic)
    first.commit_offsets(group, topic, {0: 7})
    second.commit_offsets(group, topic, {0: 8})
    second.complete()
    yield from _offsets(kafka, group, topic)
    first.complete()
    yield from _offsets(kafka, group, topic)


@scenario()
def offsets_of_a_transaction_are_replaced(kafka: Kafka) -> Observations:
    """The last offset of a transaction is committed, for each group of it."""
    topic, producer = kafka.topic(), Producer(kafka)
    groups = [kafka.new_name("group") for _ in range(2)]
    for offset in (3, 9, 4):
        for group in groups:
            yield producer.commit_offsets(group, topic, {0: offset})
    producer.complete()
    for group in groups:
        yield from _offsets(kafka, group, topic)


@scenario(alone=True)  # Kafka mixes up the versions of concurrent verifications
def offset_commits_that_were_not_added(kafka: Kafka) -> Observations:
    """Only version 5 adds the group to the transaction; the error of others depends on it."""
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    for version in range(6):
        yield version, producer.commit_offsets(group, topic, {0: version}, version=version)
        yield producer.describe()
    yield producer.end(), producer.settle()
    yield from _offsets(kafka, group, topic)


@scenario()
def offset_commits_of_other_producers(kafka: Kafka) -> Observations:
    """Fenced, future and unknown producers have their errors, in every version."""
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    old = producer.identity
    producer.init()
    producer_id, epoch = producer.identity
    unknown = kafka.new_name("transaction")
    for version in range(6):
        for name, identity in (
            (producer.transactional_id, old),
            (producer.transactional_id, Identity(producer_id, epoch + 1)),
            (producer.transactional_id, Identity(producer_id + 10_000, 0)),
            (unknown, producer.identity),
            ("", producer.identity),
        ):
            requested = commit_in_txn(name, identity, group, topic, {0: 1})
            yield version, name, identity.epoch, kafka.request(requested, version)
    yield producer.describe()


@scenario()
def invalid_offset_commits(kafka: Kafka) -> Observations:
    """Unknown partitions, long metadata and empty group ids are rejected, others are committed."""
    topic, unknown = kafka.topic(), kafka.new_name("unknown")
    group, producer = kafka.new_name("group"), Producer(kafka)
    yield producer.describe()
    for version in (0, 3, 5):
        producer.add_offsets(group)
        requested = commit_in_txn(
            producer.transactional_id, producer.identity, group, topic, {0: 4, 7: 1}
        )
        other = commit_in_txn(producer.transactional_id, producer.identity, group, unknown, {0: 4})
        requested.topics += other.topics
        response = kafka.request(requested, version)
        response.topics.sort(key=lambda each: each.name)
        for each in response.topics:
            each.partitions.sort(key=lambda one: one.partition_index)
        yield version, response
        yield (
            version,
            producer.commit_offsets(group, topic, {0: 5}, version=version, metadata="x" * 5000),
        )
        yield version, producer.commit_offsets("", topic, {0: 6}, version=version)
        yield version, producer.commit_offsets(group, topic, {0: -1}, version=version)
        yield version, producer.commit_offsets(group, topic, {}, version=version)
        yield producer.end(), producer.settle()
    yield from _offsets(kafka, group, topic)


@scenario()
def offset_commits_without_a_group(kafka: Kafka) -> Observations:
    """A group is created for a commit without a member, not for one with a generation."""
    topic, producer = kafka.topic(), Producer(kafka)
    for generation, member in ((-1, ""), (0, ""), (1, ""), (-1, "somebody"), (1, "somebody")):
        group = kafka.new_name("group")
        yield (
            generation,
            member,
            producer.commit_offsets(group, topic, {0: 5}, member=member, generation=generation),
        )
        yield producer.describe()
        producer.complete()
        yield kafka.request(committed(group, {topic: [0]}))


@scenario()
def offset_commits_of_members(kafka: Kafka) -> Observations:
    """If a member or generation is named, it must be of the group; otherwise all are accepted."""
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    (member,) = stable(kafka, group)
    for name, generation, instance in (
        (member.id, member.generation, None),
        (member.id, member.generation + 1, None),
        (member.id, member.generation - 1, None),
        (member.id, -1, None),
        ("somebody", member.generation, None),
        ("", member.generation, None),
        ("", -1, None),
        (member.id, member.generation, "instance"),
        ("", -1, "instance"),
    ):
        for version in (3, 5):
            producer.add_offsets(group)
            yield (
                generation,
                instance,
                version,
                producer.commit_offsets(
                    group,
                    topic,
                    {0: 5},
                    member=name,
                    generation=generation,
                    instance=instance,
                    version=version,
                ),
            )
            producer.complete()


@scenario()
def offset_commits_of_static_members(kafka: Kafka) -> Observations:
    """A static member is named by its instance; a replaced one is fenced."""
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    (member,) = stable(kafka, group, instance="instance")
    for name, instance in (
        (member.id, "instance"),
        (member.id, None),
        ("somebody", "instance"),
        (member.id, "other"),
    ):
        yield (
            instance,
            producer.commit_offsets(
                group,
                topic,
                {0: 5},
                member=name,
                generation=member.generation,
                instance=instance,
            ),
        )


@scenario()
def offset_commits_during_a_rebalance(kafka: Kafka) -> Observations:
    """While the group rebalances, its members may commit in transactions."""
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    (member,) = stable(kafka, group)
    other = Member(kafka, group)
    joining = other.join()
    yield "waits", joining.waits()
    for name, generation in ((member.id, member.generation), ("", -1), (other.id, -1)):
        yield (
            generation,
            producer.commit_offsets(group, topic, {0: 5}, member=name, generation=generation),
        )
    producer.complete()
    again = member.join()
    member.joined(again)
    other.joined(joining)
    yield (
        "synchronising",
        producer.commit_offsets(
            group, topic, {0: 6}, member=member.id, generation=member.generation
        ),
    )
    producer.complete()
    yield from _offsets(kafka, group, topic)


@scenario()
def offset_commits_of_consumer_groups(kafka: Kafka) -> Observations:
    """A member of a consumer group names its epoch; without a member all are accepted."""
    topic, group, producer = kafka.topic(), kafka.new_name("group"), Producer(kafka)
    member = "AAAAAAAAAAAAAAAAAAAAAA"
    joined = kafka.request(
        consumer_heartbeat(group, member, 0, topics=[topic], owned={}, rebalance_ms=30_000)
    )
    epoch = joined.member_epoch
    for name, given in (
        (member, epoch),
        (member, epoch + 1),
        (member, epoch - 1),
        (member, -1),
        ("somebody", epoch),
        ("", epoch),
        ("", -1),
    ):
        yield (
            name,
            given - epoch if given > 0 else given,
            producer.commit_offsets(group, topic, {0: 5}, member=name, generation=given),
        )
        producer.settle()
    producer.complete()
    yield from _offsets(kafka, group, topic)


@scenario()
def groups_with_pending_offsets_are_deleted(kafka: Kafka) -> Observations:
    """DeleteGroups and OffsetDelete of a group with pending offsets, and a commit afterwards."""
    topic, group, producer = kafka.topic(2), kafka.new_name("group"), Producer(kafka)
    kafka.request(commit(group, topic, {0: 1, 1: 1}))
    producer.commit_offsets(group, topic, {0: 5, 1: 5})
    requested = OffsetDeleteRequestTopic(
        name=topic, partitions=[OffsetDeleteRequestPartition(partition_index=1)]
    )
    yield kafka.request(OffsetDeleteRequest(group_id=group, topics=[requested]))
    yield from _offsets(kafka, group, topic)
    yield kafka.request(DeleteGroupsRequest(groups_names=[group]))
    yield from _offsets(kafka, group, topic)
    producer.complete()
    yield from _offsets(kafka, group, topic)


@scenario()
def offsets_and_records_commit_together(kafka: Kafka) -> Observations:
    """A transaction contains records and offsets of several groups."""
    topic = kafka.topic()
    for versions in (OLD, NEW):
        groups, producer = [kafka.new_name("group") for _ in range(2)], Producer(kafka, versions)
        for commits in (False, True):
            if versions is OLD:
                yield producer.add({topic: [0]})
            yield producer.produce(topic, "a")
            for group in groups:
                if versions is OLD:
                    yield producer.add_offsets(group)
                yield producer.commit_offsets(group, topic, {0: 5})
            yield producer.end(commit=commits), producer.settle()
            for group in groups:
                yield from _offsets(kafka, group, topic)
    yield kafka.request(fetch(topic, read_committed=True))


@scenario()
def coordinators_of_transactions_are_found(kafka: Kafka) -> Observations:
    """FindCoordinator of transactional ids, in every version, also of empty ones."""
    name = kafka.new_name("transaction")
    for version in range(1, 4):
        for key in (name, ""):
            yield version, kafka.request(FindCoordinatorRequest(key=key, key_type=1), version)
    for version in range(4, 7):
        yield version, kafka.request(find_coordinator(name, "", name, key_type=1), version)


def _offsets(kafka: Kafka, group: str, topic: str) -> Observations:
    """The committed offsets, without and with the requirement that they are stable."""
    for require_stable in (False, True):
        requested = committed(group, {topic: [0, 1]}, require_stable=require_stable)
        (response,) = kafka.request(requested).groups
        yield response
