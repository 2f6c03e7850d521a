"""A member of a share group that sends raw requests, and the results as text.

A result names records with their delivery counts: ``0-9#1 10-19#1``; errors are ``error 6``.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

import trio

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
from tests.client import Client

Batches = dict[int, list[AcknowledgementBatch]]

TYPES = {"gap": 0, "accept": 1, "release": 2, "reject": 3, "renew": 4}


def acknowledgement(text: str) -> AcknowledgementBatch:
    """The batch of ``first-last type [type...]``."""
    offsets, *types = text.split()
    first, _, last = offsets.partition("-")
    return AcknowledgementBatch(
        first_offset=int(first),
        last_offset=int(last or first),
        acknowledge_types=[TYPES[each] if each in TYPES else int(each) for each in types],
    )


async def initialize(
    client_of: Callable[[int], Client], topic_id: UUID, partitions: int = 1
) -> None:
    """Begin group g at offset 0 of each partition, as the group coordinator does.

    *client_of* returns a connection to a node.
    """
    text = urlsafe_b64encode(topic_id.bytes).rstrip(b"=").decode()
    found = FindCoordinatorRequest(key_type=2, coordinator_keys=[f"g:{text}:0"])
    states = [
        PartitionData(partition=each, state_epoch=1, start_offset=0) for each in range(partitions)
    ]
    data = InitializeStateData(topic_id=topic_id, partitions=states)
    sent = InitializeShareGroupStateRequest(group_id="g", topics=[data])
    errors = [-1]
    while any(errors):
        await trio.sleep(0.1)  # until the coordinator has its topic
        (coordinator,) = (await client_of(1).send(found)).coordinators
        if not coordinator.error_code:
            (result,) = (await client_of(coordinator.node_id).send(sent)).results
            errors = [each.error_code for each in result.partitions]


class ShareMember:
    """A member with a session on one node, for partitions of one topic."""

    def __init__(
        self, client: Client, topic_id: UUID, member_id: str = "a", group_id: str = "g"
    ) -> None:
        self.client = client
        self.topic_id = topic_id
        self.member_id = member_id
        self.group_id = group_id
        self.epoch = 0
        self.response: Any = None

    def request(
        self,
        *partitions: int,
        max_wait_ms: int = 0,
        min_bytes: int = 1,
        max_bytes: int = 1 << 20,
        max_records: int = 500,
        batch_size: int = 500,
        mode: int = 0,
        renew: bool = False,
        forgotten: Iterable[int] = (),
        acknowledge: Iterable[str] = (),
        epoch: int | None = None,
    ) -> ShareFetchRequest:
        """A fetch of *partitions*, by default of partition 0 in a new session."""
        named = partitions or ((0,) if self.epoch == 0 or acknowledge else ())
        return ShareFetchRequest(
            group_id=self.group_id,
            member_id=self.member_id,
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
                    topic_id=self.topic_id,
                    partitions=[
                        FetchPartition(
                            partition_index=each,
                            acknowledgement_batches=list(map(acknowledgement, acknowledge)),
                        )
                        for each in named
                    ],
                )
            ],
            forgotten_topics_data=[
                ForgottenTopic(topic_id=self.topic_id, partitions=list(forgotten))
            ]
            if forgotten
            else [],
        )

    async def fetch(self, *partitions: int, **parameters: Any) -> str:
        """Send a fetch and return its result."""
        sent = self.request(*partitions, **parameters)
        self.response = await self.client.send(sent)
        if not self.response.error_code:
            self.epoch = sent.share_session_epoch + 1
        return fetched(self.response)

    async def timed_fetch(self, *partitions: int, **parameters: Any) -> tuple[str, int]:
        """The result and the milliseconds that it took."""
        started = trio.current_time()
        result = await self.fetch(*partitions, **parameters)
        return result, round((trio.current_time() - started) * 1000)

    async def acknowledge(
        self, *batches: str, partition: int = 0, renew: bool = False, epoch: int | None = None
    ) -> int:
        """Acknowledge records of a partition; returns the error."""
        sent = ShareAcknowledgeRequest(
            group_id=self.group_id,
            member_id=self.member_id,
            share_session_epoch=self.epoch if epoch is None else epoch,
            is_renew_ack=renew,
            topics=[
                AcknowledgeTopic(
                    topic_id=self.topic_id,
                    partitions=[
                        AcknowledgePartition(
                            partition_index=partition,
                            acknowledgement_batches=list(map(acknowledgement, batches)),
                        )
                    ],
                )
            ]
            if batches
            else [],
        )
        self.response = response = await self.client.send(sent)
        if response.error_code:
            return int(response.error_code)
        self.epoch += 1
        return sum(data.error_code for topic in response.responses for data in topic.partitions)


def fetched(response: Any) -> str:
    """The records and errors of a ShareFetch response."""
    if response.error_code:
        return f"error {response.error_code}"
    found = []
    for topic in response.responses:
        for data in topic.partitions:
            prefix = f"p{data.partition_index}: " if data.partition_index else ""
            if data.error_code:
                found.append(f"{prefix}error {data.error_code}")
            if data.acknowledge_error_code:
                found.append(f"{prefix}acknowledge error {data.acknowledge_error_code}")
            found += [
                f"{prefix}{each.first_offset}-{each.last_offset}#{each.delivery_count}"
                for each in data.acquired_records
            ]
    return " ".join(found)
