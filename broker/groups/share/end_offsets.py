"""Requests the log end offsets of partitions from their leaders.

They are ListOffsets requests of a consumer, so the response has the high watermark. A partition
without a live leader has no end offset. Source: ``NetworkPartitionMetadataClient``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from broker.common.topic_partition import TopicPartition, by_topic
from broker.controller.metadata.image import MetadataImage
from broker.coordinators.inter_broker_sender import (
    InterBrokerRequest,
    InterBrokerSender,
    SenderParts,
    call_back,
)
from broker.steps.queue import Slices
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)

_LATEST = -1
_CONSUMER = -1
_READ_UNCOMMITTED = 0

# One request is encoded, and its response decoded, in one step of the loop.
_PARTITIONS_PER_REQUEST_MAX = 1000

OnEndOffset = Callable[[int | None], None]


class _Search(NamedTuple):
    partition: TopicPartition
    done: OnEndOffset


class EndOffsets:
    """The end offsets of partitions that any node leads."""

    def __init__(
        self,
        parts: SenderParts,
        image: Callable[[], MetadataImage],
    ) -> None:
        self._node = parts.node
        self._image = image
        self._queues: dict[int, deque[_Search]] = {}
        self._sender = InterBrokerSender("end-offsets", parts, self._next_request)

    async def run(self) -> None:
        """Send requests until cancelled."""
        await self._sender.run()

    def find(self, partition: TopicPartition, done: OnEndOffset) -> None:
        """Call *done* with the end offset, or with None if it cannot be found now."""
        topic = self._image().topic(partition.topic)
        if topic is None or partition.partition >= len(topic.partitions):
            done(None)
            return
        leader = topic.partitions[partition.partition].leader
        if self._node.alive(leader) is None:
            done(None)
            return
        self._queues.setdefault(leader, deque()).append(_Search(partition, done))
        self._sender.wake(leader)

    def _next_request(self, node_id: int) -> InterBrokerRequest | None:
        queue = self._queues.get(node_id)
        if not queue:
            return None
        count = min(len(queue), _PARTITIONS_PER_REQUEST_MAX)
        searches = [queue.popleft() for _ in range(count)]
        topics = by_topic(sorted({each.partition for each in searches}))
        body = ListOffsetsRequest(
            replica_id=_CONSUMER,
            isolation_level=_READ_UNCOMMITTED,
            topics=[
                ListOffsetsTopic(
                    name=name,
                    partitions=[
                        ListOffsetsPartition(partition_index=each, timestamp=_LATEST)
                        for each in indexes
                    ],
                )
                for name, indexes in topics.items()
            ],
        )
        return InterBrokerRequest(body, partial(self._on_response, searches))

    def _on_response(
        self, searches: list[_Search], response: ListOffsetsResponse | None
    ) -> Slices[None]:
        offsets = {
            TopicPartition(topic.name, each.partition_index): each.offset
            for topic in (response.topics if response is not None else ())
            for each in topic.partitions
            if not each.error_code
        }
        for search in searches:
            done = partial(search.done, offsets.get(search.partition))
            call_back(self._node, f"the end offset of {search.partition}", done)
            yield None
