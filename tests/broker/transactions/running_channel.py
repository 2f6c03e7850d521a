"""A running marker channel, its coordinator, and the leaders that it sends markers to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from uuid import NAMESPACE_OID, uuid5

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import MetadataImage, PartitionRegistration, TopicImage
from broker.transactions.marker_channel import TransactionMarkerChannel
from broker.transactions.marker_sender import PendingMarkers
from broker.transactions.transaction_partitions import TransactionPartitions
from protocol.errors import ErrorCode
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from tests.broker.coordinators.scripted_broker import (
    ScriptedBrokers,
    SendingBroker,
    sending,
    settle,
)


class Coordinator:
    """Records what the channel reports, and raises an exception about the ids of ``raising``."""

    def __init__(self) -> None:
        self.raising: set[str] = set()
        self.written: list[tuple[str, int, TopicPartition]] = []
        self.stopped: list[tuple[str, int]] = []

    def marker_written(
        self, transactional_id: str, coordinator_epoch: int, partition: TopicPartition
    ) -> None:
        self.written.append((transactional_id, coordinator_epoch, partition))
        self._raise(transactional_id)

    def markers_stopped(self, transactional_id: str, coordinator_epoch: int) -> None:
        self.stopped.append((transactional_id, coordinator_epoch))
        self._raise(transactional_id)

    def _raise(self, transactional_id: str) -> None:
        if transactional_id in self.raising:
            raise ValueError(transactional_id)

    def partitions(self) -> list[TopicPartition]:
        """The partitions that have their markers, in order."""
        return [partition for _, _, partition in self.written]


class RunningChannel:
    """A running channel, of a cluster in which nodes 1 to 3 lead the partitions of some topics."""

    def __init__(self, node: SendingBroker, brokers: ScriptedBrokers) -> None:
        self.node = node
        self.brokers = brokers
        self.image = MetadataImage("cluster")
        self.coordinator = Coordinator()
        self.channel = TransactionMarkerChannel(
            node.sender_parts(brokers),
            lambda: self.image,
            lambda: self.coordinator,
        )

    def lead(self, topic: str, *leaders: int) -> None:
        """Make these nodes the leaders of the topic's partitions."""
        partitions = tuple(
            PartitionRegistration((leader,), (leader,), leader) for leader in leaders
        )
        self.image.put(TopicImage(topic, uuid5(NAMESPACE_OID, topic), {}, partitions))

    async def add(self, *partitions: TopicPartition, tid: str = "t", producer_id: int = 7) -> None:
        """End a transaction of these partitions, and run all tasks."""
        self.channel.add_markers(pending(*partitions, tid=tid, producer_id=producer_id))
        await settle()

    def request(self, node_id: int) -> list[WritableTxnMarker] | None:
        """The markers of the next request to a node; None if there is none."""
        for accepted in self.brokers.connections(node_id)[-1:]:
            request = accepted.request()
            if request is not None:
                assert isinstance(request, WriteTxnMarkersRequest)
                return request.markers
        return None

    def requested(self, node_id: int) -> list[TopicPartition] | None:
        """The partitions of the next request to a node."""
        markers = self.request(node_id)
        if markers is None:
            return None
        return [
            TopicPartition(topic.name, index)
            for marker in markers
            for topic in marker.topics
            for index in topic.partition_indexes
        ]

    async def respond(
        self, node_id: int, results: dict[TopicPartition, ErrorCode], producer_id: int = 7
    ) -> None:
        """Respond to the last request of a node."""
        response = WriteTxnMarkersResponse(markers=[result(producer_id, results)])
        await self.brokers.last(node_id).respond(response)


def pending(
    *partitions: TopicPartition, tid: str = "t", producer_id: int = 7, state_partition: int = 4
) -> PendingMarkers:
    """The markers of a commit."""
    return PendingMarkers(
        transactional_id=tid,
        state_partition=state_partition,
        coordinator_epoch=5,
        producer_id=producer_id,
        producer_epoch=3,
        commit=True,
        transaction_version=2,
        partitions=TransactionPartitions(partitions),
    )


def result(producer_id: int, results: dict[TopicPartition, ErrorCode]) -> WritableTxnMarkerResult:
    """The results of a producer's markers, each partition in a topic of its own."""
    return WritableTxnMarkerResult(
        producer_id=producer_id,
        topics=[
            WritableTxnMarkerTopicResult(
                name=key.topic,
                partitions=[
                    WritableTxnMarkerPartitionResult(partition_index=key.partition, error_code=code)
                ],
            )
            for key, code in results.items()
        ],
    )


@asynccontextmanager
async def channel(**leaders: Iterable[int]) -> AsyncIterator[RunningChannel]:
    """A running channel; the arguments are the leaders of each topic's partitions."""
    async with sending() as (node, brokers, nursery):
        made = RunningChannel(node, brokers)
        for topic, nodes in leaders.items():
            made.lead(topic, *nodes)
        nursery.start_soon(made.channel.run)
        yield made
