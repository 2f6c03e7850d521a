"""Requests the log end offsets of partitions from their leaders.

They are ListOffsets requests of a consumer, so the response has the high watermark. A partition
without a live leader is refused at once. A request that gets no response is sent again, after 1, 2,
4, 8 and 16 seconds. Source: ``NetworkPartitionMetadataClient``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from broker.common.error_messages import message_of
from broker.common.topic_partition import TopicPartition, by_topic
from broker.controller.metadata.image import MetadataImage
from broker.coordinators.inter_broker_sender import (
    InterBrokerRequest,
    InterBrokerSender,
    SenderParts,
    call_back,
)
from broker.coordinators.retry_backoff import RETRIES_MAX, backoff_ms
from broker.steps.queue import Slices
from broker.steps.schedule import schedule_once
from protocol.errors import ErrorCode
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


class EndOffset(NamedTuple):
    """The end offset of a partition, or an error."""

    offset: int = -1
    error: ErrorCode = ErrorCode.NONE

    @property
    def message(self) -> str | None:
        """Kafka's message of the error."""
        return message_of(self.error)


OnEndOffset = Callable[[EndOffset], None]


class _Search(NamedTuple):
    partition: TopicPartition
    done: OnEndOffset
    retries: int = 0


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
        """Call *done* with the end offset, or with the error if it cannot be found now."""
        leader = self._leader(partition)
        if leader is None:
            done(EndOffset(error=ErrorCode.LEADER_NOT_AVAILABLE))
        else:
            self._enqueue(leader, [_Search(partition, done)])

    def _leader(self, partition: TopicPartition) -> int | None:
        """The leader of a partition; None if there is none that is alive."""
        topic = self._image().topic(partition.topic)
        if topic is None or partition.partition >= len(topic.partitions):
            return None
        leader = topic.partitions[partition.partition].leader
        return None if self._node.alive(leader) is None else leader

    def _enqueue(self, leader: int, searches: list[_Search]) -> None:
        self._queues.setdefault(leader, deque()).extend(searches)
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
        return InterBrokerRequest(body, partial(self._on_response, node_id, searches))

    def _on_response(
        self, leader: int, searches: list[_Search], response: ListOffsetsResponse | None
    ) -> Slices[None]:
        if response is None:
            searches = self._retry(leader, searches)
        found = {} if response is None else _found(response)
        missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if response else ErrorCode.NETWORK_EXCEPTION
        for search in searches:
            end = found.get(search.partition, EndOffset(error=missing))
            done = partial(search.done, end)
            call_back(self._node, f"the end offset of {search.partition}", done)
            yield None

    def _retry(self, leader: int, searches: list[_Search]) -> list[_Search]:
        """Send searches again after a back-off; returns those without further retries."""
        for search in searches:
            if search.retries < RETRIES_MAX:
                again = [search._replace(retries=search.retries + 1)]
                enqueue = partial(self._enqueue, leader, again)
                schedule_once(self._node.timer, enqueue, delay_ms=backoff_ms(search.retries))
        return [each for each in searches if each.retries == RETRIES_MAX]


def _found(response: ListOffsetsResponse) -> dict[TopicPartition, EndOffset]:
    return {
        TopicPartition(topic.name, each.partition_index): EndOffset(
            each.offset, ErrorCode(each.error_code)
        )
        for topic in response.topics
        for each in topic.partitions
    }
