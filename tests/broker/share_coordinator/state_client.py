"""Requests about the states of share partitions of a group, to a running node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.share_coordinator.state_topic import share_state_topic
from protocol.messages import delete_share_group_state as delete
from protocol.messages import initialize_share_group_state as initialize
from protocol.messages import read_share_group_state as read
from protocol.messages import read_share_group_state_summary as summary
from protocol.messages import write_share_group_state as changes
from tests.client import Client, RunningCluster

GROUP = "g"


@dataclass
class StateClient:
    """A client of the share coordinator, which requests one share partition at a time."""

    client: Client
    topic_id: UUID
    group_id: str = GROUP

    async def initialize(self, state_epoch: int, start_offset: int, partition: int = 0) -> Any:
        """Initialize a state; returns the result of the partition."""
        part = initialize.PartitionData(
            partition=partition, state_epoch=state_epoch, start_offset=start_offset
        )
        topic = initialize.InitializeStateData(topic_id=self.topic_id, partitions=[part])
        cls = initialize.InitializeShareGroupStateRequest
        return await self._send(cls(group_id=self.group_id, topics=[topic]))

    async def read(self, leader_epoch: int = 0, partition: int = 0) -> Any:
        """Read a state."""
        part = read.PartitionData(partition=partition, leader_epoch=leader_epoch)
        topic = read.ReadStateData(topic_id=self.topic_id, partitions=[part])
        cls = read.ReadShareGroupStateRequest
        return await self._send(cls(group_id=self.group_id, topics=[topic]))

    async def write(
        self,
        *batches: tuple[int, int, int, int],
        state_epoch: int = 1,
        leader_epoch: int = 0,
        start_offset: int = -1,
        complete: int = -1,
        partition: int = 0,
    ) -> Any:
        """Write a change; a batch is its first and last offset, its state and its count."""
        request = self.write_request(
            *batches,
            state_epoch=state_epoch,
            leader_epoch=leader_epoch,
            start_offset=start_offset,
            complete=complete,
            partition=partition,
        )
        return await self._send(request)

    def write_request(
        self,
        *batches: tuple[int, int, int, int],
        state_epoch: int = 1,
        leader_epoch: int = 0,
        start_offset: int = -1,
        complete: int = -1,
        partition: int = 0,
    ) -> changes.WriteShareGroupStateRequest:
        """The request of `write`."""
        part = changes.PartitionData(
            partition=partition,
            state_epoch=state_epoch,
            leader_epoch=leader_epoch,
            start_offset=start_offset,
            delivery_complete_count=complete,
            state_batches=[state_batch(*each) for each in batches],
        )
        topic = changes.WriteStateData(topic_id=self.topic_id, partitions=[part])
        return changes.WriteShareGroupStateRequest(group_id=self.group_id, topics=[topic])

    async def delete(self, partition: int = 0) -> Any:
        """Delete a state."""
        topic = delete.DeleteStateData(
            topic_id=self.topic_id, partitions=[delete.PartitionData(partition=partition)]
        )
        cls = delete.DeleteShareGroupStateRequest
        return await self._send(cls(group_id=self.group_id, topics=[topic]))

    async def summary(self, leader_epoch: int = 0, partition: int = 0) -> Any:
        """Read the summary of a state."""
        part = summary.PartitionData(partition=partition, leader_epoch=leader_epoch)
        topic = summary.ReadStateSummaryData(topic_id=self.topic_id, partitions=[part])
        cls = summary.ReadShareGroupStateSummaryRequest
        return await self._send(cls(group_id=self.group_id, topics=[topic]))

    async def _send(self, body: Any) -> Any:
        response = await self.client.send(body)
        ((result,),) = (topic.partitions for topic in response.results)
        return result


def state_batch(first: int, last: int, state: int, count: int) -> read.StateBatch:
    """A batch as a message contains it."""
    return read.StateBatch(
        first_offset=first, last_offset=last, delivery_state=state, delivery_count=count
    )


def state_client(running: RunningCluster, node_id: int = 1, **topic: Any) -> StateClient:
    """Create the topic ``t`` and that of states, and connect to a node."""
    created = running.controller.create_topic("t", **{"partitions": 2, **topic})
    node = running.cluster.node(node_id)
    ensure_internal_topic(running.controller, share_state_topic(node.config))
    return StateClient(Client(*running.network.join(node.port)), created.topic_id)
