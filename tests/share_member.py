"""A member of a share group that sends raw requests, and the results as text.

A result names records with their delivery counts: ``0-9#1 10-19#1``; errors are ``error 6``.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any
from uuid import UUID

import trio

from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.initialize_share_group_state import (
    InitializeShareGroupStateRequest,
    InitializeStateData,
    PartitionData,
)
from tests.client import Client
from tests.share_session import ShareSession


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


class ShareMember(ShareSession):
    """A member with a session on one node, for partitions of one topic."""

    def __init__(
        self, client: Client, topic_id: UUID, member_id: str = "a", group_id: str = "g"
    ) -> None:
        super().__init__(group_id, member_id, topic_id)
        self.client = client
        self.response: Any = None

    async def fetch(self, *partitions: int, **parameters: Any) -> str:
        """Send a fetch and return its result."""
        sent = self.request(*partitions, **parameters)
        self.response = await self.client.send(sent)
        if not self.response.error_code:
            self.advance(sent)
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
        sent = self.acknowledgements(
            {partition: batches} if batches else {}, renew=renew, epoch=epoch
        )
        self.response = response = await self.client.send(sent)
        if response.error_code:
            return int(response.error_code)
        self.advance(sent)
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
