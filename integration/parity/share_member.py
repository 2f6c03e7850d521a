"""A member of a share group that sends raw requests, and its results as text.

A result has the acquired ranges with their delivery counts: ``0-9#1 10-19#1``. The state of a share
partition is initialized by a request to the share coordinator, so that a group needs no members
that heartbeat.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from integration.machine.deadlines import eventually
from integration.parity.client import Client, Pending
from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka
from protocol.errors import ErrorCode
from protocol.messages.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
)
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.initialize_share_group_state import (
    InitializeShareGroupStateRequest,
    InitializeStateData,
    PartitionData,
)
from protocol.messages.share_acknowledge import (
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from protocol.messages.share_fetch import (
    AcknowledgementBatch,
    FetchPartition,
    FetchTopic,
    ForgottenTopic,
    ShareFetchRequest,
)

TYPES = {"gap": 0, "accept": 1, "release": 2, "reject": 3, "renew": 4}
WARM_UP_MS = 1500
_GROUP = 32
_SHARE = 2


class ShareGroup:
    """A group and its topic, whose partitions it reads from the beginning."""

    def __init__(self, kafka: Kafka, partitions: int = 1, **configs: str) -> None:
        self.kafka = kafka
        self.id = kafka.new_name("group")
        self.topic = kafka.topic(partitions)
        self.topic_id: UUID = kafka.metadata(self.topic).topic_id
        self.partitions = partitions
        kafka.formatter.name(self.topic_id, "topic id")
        if configs:
            self.set(**configs)
        self.initialize(1)
        # Kafka reads the state of a partition with its first fetch.
        warm_up = self.member("warm-up")
        warm_up.fetch(*range(partitions), max_wait_ms=WARM_UP_MS)

    def initialize(self, state_epoch: int, start_offset: int = 0) -> None:
        """Set the start offset of each partition, as AlterShareGroupOffsets does."""
        keys = [f"{self.id}:{_id(self.topic_id)}:{each}" for each in range(self.partitions)]
        found = FindCoordinatorRequest(key_type=_SHARE, coordinator_keys=keys)

        def is_there() -> bool:
            response = self.kafka.request(found)
            return all(each.error_code == 0 for each in response.coordinators)

        eventually(is_there, "the share coordinator")
        partitions = [
            PartitionData(partition=each, state_epoch=state_epoch, start_offset=start_offset)
            for each in range(self.partitions)
        ]
        data = InitializeStateData(topic_id=self.topic_id, partitions=partitions)
        requested = InitializeShareGroupStateRequest(group_id=self.id, topics=[data])

        def is_done() -> bool:
            (result,) = self.kafka.request(requested).results
            return all(each.error_code == 0 for each in result.partitions)

        eventually(is_done, "the state of the group")

    def set(self, **configs: str) -> None:
        """Set ``share.*`` settings of the group; write `_` for `.`."""
        settings = [
            AlterableConfig(name=f"share.{name.replace('_', '.')}", value=value)
            for name, value in configs.items()
        ]
        resource = AlterConfigsResource(
            resource_type=_GROUP, resource_name=self.id, configs=settings
        )
        requested = AlterConfigsRequest(resources=[resource], validate_only=False)
        (answer,) = self.kafka.request(requested).responses
        assert answer.error_code == 0, answer
        self.kafka.settle()

    def produce(self, *counts: int, partition: int = 0) -> None:
        """Append a batch of each number of records."""
        for count in counts:
            data = batch(*[f"{each}" for each in range(count)])
            requested = produce(self.topic, {partition: data})
            self.kafka.request(requested)

    def member(self, member_id: str, *, node: int = 1, client: Client | None = None) -> ShareMember:
        """A member, on a connection of its own."""
        return ShareMember(self, member_id, client or self.kafka.connect(node))


class ShareMember:
    """A member with a session on one node."""

    def __init__(self, group: ShareGroup, member_id: str, client: Client) -> None:
        self.group = group
        self.id = member_id
        self.client = client
        self.epoch = 0

    def request(
        self,
        *partitions: int,
        max_wait_ms: int = 100,
        min_bytes: int = 1,
        max_bytes: int = 1 << 20,
        max_records: int = 500,
        batch_size: int = 500,
        mode: int = 0,
        renew: bool = False,
        forgotten: Sequence[int] = (),
        acknowledge: Iterable[str] = (),
        epoch: int | None = None,
        topic_id: UUID | None = None,
    ) -> ShareFetchRequest:
        """A fetch; the first one, and those that acknowledge, name partition 0 by default."""
        named = partitions or ((0,) if self.epoch == 0 or acknowledge else ())
        topic_id = topic_id or self.group.topic_id
        batches = list(map(acknowledgement, acknowledge))
        return ShareFetchRequest(
            group_id=self.group.id,
            member_id=self.id,
            share_session_epoch=self.epoch if epoch is None else epoch,
            max_wait_ms=max_wait_ms,
            min_bytes=min_bytes,
            max_bytes=max_bytes,
            max_records=max_records,
            batch_size=batch_size,
            share_acquire_mode=mode,
            is_renew_ack=renew,
            topics=[
                FetchTopic(
                    topic_id=topic_id,
                    partitions=[
                        FetchPartition(partition_index=each, acknowledgement_batches=batches)
                        for each in named
                    ],
                )
            ]
            if named
            else [],
            forgotten_topics_data=[ForgottenTopic(topic_id=topic_id, partitions=list(forgotten))]
            if forgotten
            else [],
        )

    def start(self, *partitions: int, **parameters: Any) -> Pending:
        """Send a fetch that may wait; it counts as successful."""
        sent = self.request(*partitions, **parameters)
        self.epoch = sent.share_session_epoch + 1
        return self.client.start(sent)

    def fetch(self, *partitions: int, **parameters: Any) -> str:
        """Send a fetch and return its result."""
        sent = self.request(*partitions, **parameters)
        response = self.client.request(sent)
        if not response.error_code:
            self.epoch = sent.share_session_epoch + 1
        return fetched(response)

    def acknowledge(
        self, *batches: str, partition: int = 0, renew: bool = False, epoch: int | None = None
    ) -> str:
        """Acknowledge records of a partition; returns the error."""
        named = AcknowledgePartition(
            partition_index=partition, acknowledgement_batches=list(map(acknowledgement, batches))
        )
        topic = AcknowledgeTopic(topic_id=self.group.topic_id, partitions=[named])
        sent = ShareAcknowledgeRequest(
            group_id=self.group.id,
            member_id=self.id,
            share_session_epoch=self.epoch if epoch is None else epoch,
            is_renew_ack=renew,
            topics=[topic] if batches else [],
        )
        response = self.client.request(sent)
        if response.error_code:
            return _error(response.error_code)
        self.epoch += 1
        return " ".join(
            _error(data.error_code) for topic in response.responses for data in topic.partitions
        )


def acknowledgement(text: str) -> AcknowledgementBatch:
    """The batch of ``first-last type [type...]``; a type may be a number."""
    offsets, *types = text.split()
    first, _, last = offsets.partition("-")
    return AcknowledgementBatch(
        first_offset=int(first),
        last_offset=int(last or first),
        acknowledge_types=[TYPES[each] if each in TYPES else int(each) for each in types],
    )


def fetched(response: Any) -> str:
    """The records and errors of a ShareFetch response, in the order of the partitions."""
    if response.error_code:
        return _error(response.error_code)
    found = []
    data = [
        (each.partition_index, each) for topic in response.responses for each in topic.partitions
    ]
    for index, each in sorted(data, key=lambda pair: pair[0]):
        parts = [
            f"{one.first_offset}-{one.last_offset}#{one.delivery_count}"
            for one in each.acquired_records
        ]
        if each.error_code:
            parts.append(_error(each.error_code))
        if each.acknowledge_error_code:
            parts.append(f"acknowledge: {_error(each.acknowledge_error_code)}")
        found.append(f"{index}: {' '.join(parts) or 'nothing'}")
    return ", ".join(found) or "empty"


def _error(code: int) -> str:
    return ErrorCode(code).name


def _id(topic_id: UUID) -> str:
    return urlsafe_b64encode(topic_id.bytes).rstrip(b"=").decode()
