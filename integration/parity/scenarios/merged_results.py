"""Results of entries that a request names twice, or without partitions, put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from integration.parity.formatting import by_partition
from integration.parity.group_requests import commit, find_coordinator
from integration.parity.requests import batch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE
from integration.parity.share_requests import alter_offsets, delete_offsets, describe_offsets
from integration.parity.transaction_requests import (
    TRANSACTION,
    Identity,
    add_in_batch,
    add_partitions,
    commit_in_txn,
    in_batch,
    init_producer_id,
)
from protocol.messages.add_partitions_to_txn import AddPartitionsToTxnTopic
from protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignableTopic,
)
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from protocol.messages.produce import PartitionProduceData, TopicProduceData

Entries = Sequence[tuple[str, Sequence[int]]]  # topics and their partitions, in order

_UNKNOWN_ID = UUID(int=77)


@scenario()
def produce_results_are_merged(kafka: Kafka) -> Observations:
    """A refusal replaces the result of the same partition, whose valid batch is appended."""
    topic, unknown = kafka.topic(2), kafka.new_name("unknown")
    for name, entries in (
        ("the last", [(topic, 0, batch("a")), (topic, 0, batch("b", "c"))]),
        ("valid, no batch", [(topic, 0, batch("a")), (topic, 0, b"x")]),
        ("no batch, valid", [(topic, 0, b"x"), (topic, 0, batch("a"))]),
        ("unknown", [(unknown, 0, batch("a")), (unknown, 0, batch("a"))]),
        ("no such partition", [(topic, 7, batch("a")), (topic, 1, batch("a")), (topic, 7, b"")]),
    ):
        request = produce(topic, None)
        request.topic_data = [
            TopicProduceData(
                name=each, partition_data=[PartitionProduceData(index=index, records=records)]
            )
            for each, index, records in entries
        ]
        for response in kafka.request(request, 12).responses:
            yield name, response.name, _sorted(kafka, response.partition_responses)
    yield by_partition(kafka.request(list_offsets(topic, -1, -1)))


@scenario()
def commit_results_are_merged(kafka: Kafka) -> Observations:
    """Refused partitions come first, and their topics are in the response once."""
    group, transactional_id = kafka.new_name("group"), kafka.new_name("id")
    producer = _producer(kafka, transactional_id)
    for entries in _commits(kafka):
        for version, member, generation in ((2, "", -1), (9, "", -1), (9, "m", 3)):
            request = commit(group, "", {}, member=member, generation=generation)
            request.topics = [
                commit(group, topic, dict.fromkeys(ps, 1)).topics[0] for topic, ps in entries
            ]
            yield version, member, kafka.request(request, version).topics
        in_txn = commit_in_txn(transactional_id, producer, group, "", {})
        in_txn.topics = [
            commit_in_txn(transactional_id, producer, group, topic, dict.fromkeys(ps, 1)).topics[0]
            for topic, ps in entries
        ]
        yield "in a transaction", kafka.request(in_txn, 5).topics


def _commits(kafka: Kafka) -> Iterable[Entries]:
    topic, other, unknown = kafka.topic(2), kafka.topic(), kafka.new_name("unknown")
    yield [(topic, [0, 0]), (other, [0]), (topic, [1])]
    yield [(unknown, [0]), (topic, [0]), (unknown, [1, 1]), (topic, [1])]
    yield [(topic, [7, 0, 8, 1]), (other, [0]), (topic, [9, 0])]
    yield [(topic, [])]
    yield [(topic, []), (other, [0]), (unknown, [])]
    yield [(topic, []), (topic, [0]), (topic, [])]
    yield []


@scenario()
def added_partitions_are_merged(kafka: Kafka) -> Observations:
    """Added partitions as in the request, refused and verified ones once."""
    topic, other, unknown = kafka.topic(2), kafka.topic(), kafka.new_name("unknown")
    transactional_id = kafka.new_name("id")
    producer = _producer(kafka, transactional_id)
    cases: list[Entries] = [
        [(topic, [0, 0]), (other, [0]), (topic, [1])],
        [(unknown, [0, 0]), (topic, [0]), (unknown, [0])],
        [(topic, []), (other, [0])],
        [(topic, []), (unknown, [0])],
        [(unknown, [])],
    ]
    for entries in cases:
        for version in (0, 3):
            one = add_partitions(transactional_id, producer, {})
            one.v3_and_below_topics = _added(entries)
            results = kafka.request(one, version).results_by_topic_v3_and_below
            yield version, _sorted(kafka, results)
        for verify in (False, True):
            transaction = in_batch(transactional_id, producer, {}, verify=verify)
            transaction.topics = _added(entries)
            (result,) = kafka.request(add_in_batch(transaction)).results_by_transaction
            for each in result.topic_results:
                each.results_by_partition.sort(key=lambda partition: int(partition.partition_index))
            yield verify, _sorted(kafka, result.topic_results)
    for verify in (False, True):
        twice = [
            in_batch(transactional_id, producer, {each: [0]}, verify=verify)
            for each in (topic, other)
        ]
        yield "twice", verify, kafka.request(add_in_batch(*twice)).results_by_transaction


@scenario()
def invalid_topics_are_deleted(kafka: Kafka) -> Observations:
    """Twice, by name and by id, and without time."""
    unknown = kafka.new_name("unknown")
    kafka.formatter.name(_UNKNOWN_ID, "uuid")
    cases: list[list[tuple[str | None, UUID | None]]] = [
        [(unknown, None), (unknown, None)],
        [(None, _UNKNOWN_ID), (None, _UNKNOWN_ID)],
        [(None, None), (None, None)],
        [(unknown, _UNKNOWN_ID), (unknown, _UNKNOWN_ID)],
        [(None, None), (unknown, None)],
        [(None, _UNKNOWN_ID)],
        [],
    ]
    for timeout_ms in (20_000, 0, -1):
        for named in cases:
            yield timeout_ms, _sorted(kafka, _deleted(kafka, named, timeout_ms))
    topic = kafka.topic()
    topic_id = kafka.metadata(topic).topic_id
    kafka.formatter.name(topic_id, "uuid")
    for both in ([(topic, None), (None, topic_id)], [(None, topic_id), (topic, None)]):
        yield "both", _deleted(kafka, both)
    twice: list[tuple[str | None, UUID | None]] = [(None, topic_id)] * 2
    yield "the id twice", _sorted(kafka, _deleted(kafka, [*twice, (topic, None)]))
    yield "the name twice", _sorted(kafka, _deleted(kafka, [(topic, None)] * 2 + twice[:1]))


@scenario()
def changes_of_no_topics(kafka: Kafka) -> Observations:
    """Without topics nothing is checked, not even the timeout."""
    topic = kafka.topic()
    for timeout_ms in (20_000, 0, -1):
        for kind in (0, 1, 7):
            for topics in ([], [TopicPartitions(topic=topic, partitions=[])]):
                election = ElectLeadersRequest(
                    election_type=kind, topic_partitions=topics, timeout_ms=timeout_ms
                )
                yield timeout_ms, kind, kafka.request(election)
        for moved in ([], [ReassignableTopic(name=topic, partitions=[])]):
            for may_change in (True, False):
                reassignment = AlterPartitionReassignmentsRequest(
                    timeout_ms=timeout_ms,
                    topics=moved,
                    allow_replication_factor_change=may_change,
                )
                yield timeout_ms, may_change, kafka.request(reassignment)


@scenario(on=SHARE)
def share_offsets_are_merged(kafka: Kafka) -> Observations:
    """Altered partitions as in the request, described ones once, deleted topics once."""
    topic, other, unknown = kafka.topic(3), kafka.topic(), kafka.new_name("unknown")
    group = kafka.new_name("group")
    for known in (topic, other):
        kafka.formatter.name(kafka.metadata(known).topic_id, "uuid")
    cases: list[Entries] = [
        [(topic, [0, 0]), (other, [0]), (topic, [1, 0])],
        [(topic, [7, 0, 7]), (unknown, [1, 1]), (topic, [8])],
        [(topic, []), (other, [0]), (unknown, [])],
        [(unknown, []), (unknown, [1])],
        [(topic, []), (topic, [0])],
        [(unknown, [-1])],
    ]
    for entries in cases:
        altered = alter_offsets(group, "", {})
        altered.topics = [
            alter_offsets(group, name, dict.fromkeys(ps, 0)).topics[0] for name, ps in entries
        ]
        for requested in altered.topics:
            requested.partitions *= 2
        yield "altered", _sorted(kafka, kafka.request(altered).responses)
    for entries in [*cases, [(topic, [0, -1])]]:
        for group_id in (group, ""):
            yield "described", *_described(kafka, group_id, entries)
    for _ in range(2):
        deleted = kafka.request(delete_offsets(group, other, topic, unknown, other, unknown))
        yield "deleted", _sorted(kafka, deleted.responses)


def _described(kafka: Kafka, group: str, entries: Entries) -> tuple[object, ...]:
    request = describe_offsets(group, "")
    request.groups[0].topics = [
        topic
        for name, ps in entries
        for topic in describe_offsets(group, name, *ps).groups[0].topics or []
    ]
    (found,) = kafka.request(request).groups
    for topic in found.topics:
        topic.partitions.sort(key=lambda partition: int(partition.partition_index))
    return found.error_code, found.error_message, _sorted(kafka, found.topics)


def _deleted(
    kafka: Kafka, named: Sequence[tuple[str | None, UUID | None]], timeout_ms: int = 20_000
) -> Any:
    topics = [
        DeleteTopicState(name=name, topic_id=topic_id or UUID(int=0)) for name, topic_id in named
    ]
    return kafka.request(DeleteTopicsRequest(topics=topics, timeout_ms=timeout_ms)).responses


def _producer(kafka: Kafka, transactional_id: str) -> Identity:
    kafka.request(find_coordinator(transactional_id, key_type=TRANSACTION))
    response = kafka.request(init_producer_id(transactional_id))
    return Identity(response.producer_id, response.producer_epoch)


def _added(entries: Entries) -> list[AddPartitionsToTxnTopic]:
    return [AddPartitionsToTxnTopic(name=name, partitions=list(ps)) for name, ps in entries]


def _sorted(kafka: Kafka, results: Iterable[Any]) -> list[str]:
    """The results in the order of their texts, because Kafka uses hash tables."""
    return sorted(map(kafka.formatter.text, results))
