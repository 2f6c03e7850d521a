"""A share session of a member with one node, and its requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import trio

from broker.network.transports.transport import Disconnected
from protocol.errors import ErrorCode
from protocol.messages.share_acknowledge import (
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from protocol.messages.share_fetch import (
    AcknowledgementBatch,
    FetchPartition,
    FetchTopic,
    ShareFetchRequest,
)
from tests.client import Client
from tests.simulation.share_groups.plan import GROUP

Batches = dict[int, list[AcknowledgementBatch]]


@dataclass
class Session:
    """A session; ``held`` are the ranges that the member has acquired, by partition."""

    node_id: int
    client: Client
    member_id: str
    topic_id: UUID
    epoch: int = 0
    held: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    async def exchange(self, request: Any, limit_s: float) -> Any:
        """The response; None if the connection is lost, or closed after that time."""
        try:
            with trio.move_on_after(limit_s):
                return await self.client.send(request)
        except (EOFError, Disconnected):
            pass
        self.client.close()
        return None

    def fetch_request(
        self,
        partitions: list[int],
        batches: Batches,
        max_wait_ms: int,
        max_records: int,
        mode: int,
    ) -> ShareFetchRequest:
        """Fetch these partitions, with acknowledgements of some of them."""
        return ShareFetchRequest(
            group_id=GROUP,
            member_id=self.member_id,
            share_session_epoch=self.epoch,
            max_wait_ms=max_wait_ms,
            min_bytes=1,
            max_records=max_records,
            batch_size=500,
            share_acquire_mode=mode,
            topics=[
                FetchTopic(
                    topic_id=self.topic_id,
                    partitions=[
                        FetchPartition(
                            partition_index=each, acknowledgement_batches=batches.get(each, [])
                        )
                        for each in {*partitions, *batches}
                    ],
                )
            ],
            forgotten_topics_data=[],
        )

    def acknowledge_request(
        self, batches: Batches, *, renew: bool = False, epoch: int | None = None
    ) -> ShareAcknowledgeRequest:
        """Acknowledge; the final epoch ends the session."""
        return ShareAcknowledgeRequest(
            group_id=GROUP,
            member_id=self.member_id,
            share_session_epoch=self.epoch if epoch is None else epoch,
            is_renew_ack=renew,
            topics=[
                AcknowledgeTopic(
                    topic_id=self.topic_id,
                    partitions=[
                        AcknowledgePartition(partition_index=each, acknowledgement_batches=found)
                        for each, found in batches.items()
                    ],
                )
            ]
            if batches
            else [],
        )

    def fetched(self, response: Any) -> dict[int, ErrorCode]:
        """Keep what was acquired; returns the errors of the acknowledgements, by partition."""
        errors = {}
        for topic in response.responses:
            for data in topic.partitions:
                errors[data.partition_index] = ErrorCode(data.acknowledge_error_code)
                if data.acquired_records:
                    self.held.setdefault(data.partition_index, []).extend(
                        (each.first_offset, each.last_offset) for each in data.acquired_records
                    )
        return errors


def acknowledged(response: Any) -> dict[int, ErrorCode]:
    """The errors of a ShareAcknowledge, by partition."""
    return {
        data.partition_index: ErrorCode(data.error_code)
        for topic in response.responses
        for data in topic.partitions
    }
