"""Fetches with an error in the response."""

from __future__ import annotations

from uuid import UUID

from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

A = batch("a")


@scenario()
def fetch_of_unknown_topics_and_partitions(kafka: Kafka) -> Observations:
    """An unknown topic, partition or topic id, each in the versions that support it."""
    topic = kafka.topic()
    for version in (4, 11, 12):
        yield version, kafka.request(fetch(kafka.new_name("unknown"), max_wait_ms=0), version)
        yield version, kafka.request(fetch(topic, {-1: 0, 1: 0}, max_wait_ms=0), version)
    requested = FetchRequest(
        max_wait_ms=0,
        min_bytes=1,
        topics=[
            FetchTopic(
                topic_id=UUID(int=12345),
                partitions=[FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=100)],
            )
        ],
    )
    yield "by id", kafka.request(requested, 13)


@scenario()
def fetch_of_unknown_topics_beside_known_ones(kafka: Kafka) -> Observations:
    """For a consumer unknown topic ids come after the others, before unknown partitions."""
    topics = [kafka.topic(2) for _ in range(3)]
    ids = [kafka.metadata(topic).topic_id for topic in topics]
    unknown = [UUID(int=12345 + number) for number in range(3)]
    for named in (
        ((unknown[0], 0), (ids[0], 0)),
        ((unknown[0], 0), (ids[0], 0), (unknown[1], 0), (ids[1], 0), (unknown[0], 1), (ids[0], 1)),
        ((ids[0], 9), (unknown[0], 0), (ids[1], 0), (ids[2], 7), (ids[2], 0), (unknown[1], 0)),
        ((unknown[2], 0), (ids[0], -1), (unknown[1], 0), (ids[0], 0), (ids[0], 1), (ids[0], 9)),
    ):
        for replica_id in (-1, 2):
            requested = _by_id(*named)
            requested.replica_state = ReplicaState(replica_id=replica_id, replica_epoch=-1)
            yield replica_id, kafka.request(requested, 17)
        requested = _by_id(*named)
        requested.session_epoch = 0
        session = kafka.request(requested, 17)
        yield "full", session
        added = _by_id((unknown[2], 1), (ids[2], 8), (unknown[1], 1))
        for epoch, changed in enumerate((_by_id(), added, _by_id()), 1):
            changed.session_id, changed.session_epoch = session.session_id, epoch
            yield "incremental", kafka.request(changed, 17)


@scenario()
def fetch_with_leader_epochs(kafka: Kafka) -> Observations:
    """The leader's own epoch is accepted, an older one fenced, a newer one unknown."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    for epoch in (-1, 0, 1):
        yield epoch, kafka.start(fetch(topic, leader_epoch=epoch))


@scenario()
def fetch_beyond_the_end(kafka: Kafka) -> Observations:
    """An offset above the log end or below the log start is out of range at once."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    for offset in (1, 2, 10**12, -1, -(2**40)):
        yield offset, kafka.request(fetch(topic, offset, max_wait_ms=0))


@scenario()
def fetch_the_same_partition_twice(kafka: Kafka) -> Observations:
    """A request that names a partition twice gets Kafka's response."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    requested = fetch(topic, 0, max_wait_ms=0)
    requested.topics += fetch(topic, 1).topics
    yield kafka.request(requested)


@scenario()
def fetch_claims_to_be_a_replica(kafka: Kafka) -> Observations:
    """A fetch with the id of an unknown replica is rejected."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    for replica_id in (1, 2, 77):
        requested = fetch(topic, max_wait_ms=0)
        requested.replica_id = replica_id
        yield replica_id, kafka.request(requested, 12)


@scenario()
def fetch_with_last_epochs(kafka: Kafka) -> Observations:
    """A negative epoch of the last fetched record is none; an unknown one diverges."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    for epoch in (-2, -1, 0, 1):
        requested = fetch(topic, max_wait_ms=0, min_bytes=0)
        requested.topics[0].partitions[0].last_fetched_epoch = epoch
        yield epoch, kafka.request(requested, 12)


@scenario()
def end_of_epochs(kafka: Kafka) -> Observations:
    """OffsetForLeaderEpoch: the end offsets of epochs, and unknown epochs."""
    topic = kafka.topic()
    kafka.request(produce(topic, A))
    for current, epoch in ((-1, 0), (0, 0), (0, 1), (1, 0), (-1, -1), (0, 5)):
        yield f"{epoch} at {current}", kafka.request(_end_of(topic, 0, current, epoch))
    yield "unknown partition", kafka.request(_end_of(topic, 3, -1, 0))


def _end_of(topic: str, partition: int, current: int, epoch: int) -> OffsetForLeaderEpochRequest:
    requested = OffsetForLeaderPartition(
        partition=partition, current_leader_epoch=current, leader_epoch=epoch
    )
    return OffsetForLeaderEpochRequest(
        replica_id=-1, topics=[OffsetForLeaderTopic(topic=topic, partitions=[requested])]
    )


def _by_id(*named: tuple[UUID, int]) -> FetchRequest:
    """A fetch of partitions by topic id."""
    topics = [
        FetchTopic(
            topic_id=topic_id,
            partitions=[FetchPartition(partition=index, fetch_offset=0, partition_max_bytes=100)],
        )
        for topic_id, index in named
    ]
    return FetchRequest(max_wait_ms=0, min_bytes=0, topics=topics)
