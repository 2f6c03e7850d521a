"""Three nodes in memory, a topic on all of them led by node 1, and clients that send requests.

Times are virtual: a scenario that waits for half a minute takes a few milliseconds.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trio.testing

from broker.common.clock import Clock
from broker.common.topic_partition import TopicPartition
from broker.controller.partitions.partition_change import Election
from broker.replication.partition import Partition
from broker.steps.queue import finish
from broker.wait_records.recorder import Recorder
from protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from protocol.record_batch.batch import batches, records
from tests.batches import batch
from tests.client import Client, RunningCluster, running_cluster
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

KEY = TopicPartition("t", 0)
NODES = (1, 2, 3)
LAG_MAX_MS = 4000


class PendingResponse:
    """A response to come: None until it has arrived, and the time of its arrival."""

    def __init__(self) -> None:
        self.response: Any = None
        self.after_ms: float | None = None

    @property
    def has_arrived(self) -> bool:
        """Whether it has arrived."""
        return self.response is not None


class ThreeNodes:
    """Actions and queries of the scenarios."""

    def __init__(self, running: RunningCluster, nursery: trio.Nursery) -> None:
        self.running = running
        self.cluster = running.cluster
        self.controller = running.controller
        self._nursery = nursery

    # ------------------------------------------------------------------------------- the nodes

    def log_of(self, node_id: int, partition: int = 0) -> Any:
        """The log of a replica."""
        return self.replica(node_id, partition).log

    def replica(self, node_id: int, partition: int = 0) -> Partition:
        """A partition of one node."""
        return self.running.node(node_id).replicas.partitions[TopicPartition("t", partition)]

    def ends(self, *node_ids: int) -> list[int]:
        """The log end offsets of these nodes."""
        return [self.log_of(node_id).log_end_offset for node_id in node_ids or NODES]

    def isr(self, partition: int = 0) -> tuple[int, ...]:
        """The in-sync set in the controller's image."""
        topic = self.controller.topic("t")
        assert topic is not None
        return topic.partitions[partition].isr

    def leader(self, partition: int = 0) -> int:
        """The leader in the controller's image."""
        topic = self.controller.topic("t")
        assert topic is not None
        return topic.partitions[partition].leader

    async def lead(self, node_id: int, partition: int = 0) -> None:
        """Make a node the leader of a partition."""
        key = TopicPartition("t", partition)
        others = [n for n in NODES if n != node_id]
        self.controller.reassign(key, [node_id, *others])
        finish(self.controller.elect_leaders(Election.PREFERRED, [key]))
        assert self.leader(partition) == node_id
        await trio.lowlevel.checkpoint()

    # -------------------------------------------------------------------------------- requests

    def client(self, node_id: int = 1) -> Client:
        """A new connection."""
        return self.running.client(node_id)

    async def send(
        self, body: Any, version: int | None = None, node_id: int = 1, client: Client | None = None
    ) -> PendingResponse:
        """Send a request, and run all tasks until only time is awaited."""
        pending, begin_s = PendingResponse(), trio.current_time()
        client = client or self.client(node_id)

        async def wait() -> None:
            pending.response = await client.receive()
            pending.after_ms = (trio.current_time() - begin_s) * 1000

        client.start(body, version)
        self._nursery.start_soon(wait)
        await settle()
        return pending

    async def produce(
        self,
        *values: bytes,
        acks: int = -1,
        timeout_ms: int = 30_000,
        partitions: int = 1,
        topic: str = "t",
    ) -> PendingResponse:
        """Send the same batch to each partition of the topic."""
        data = [batch(*values or (b"a",)) for _ in range(partitions)]
        request = produce_request(topic, *data, acks=acks, timeout_ms=timeout_ms)
        return await self.send(request, PRODUCE_VERSION)

    async def fetch(
        self,
        *offsets: int,
        max_wait_ms: int = 0,
        version: int = FETCH_VERSION,
        node_id: int = 1,
        min_bytes: int = 1,
        rack: str = "",
    ) -> PendingResponse:
        """Fetch from the partitions of the topic, each from its offset."""
        request = fetch_request("t", *offsets, max_wait_ms=max_wait_ms, min_bytes=min_bytes)
        request.rack_id = rack
        return await self.send(request, version, node_id)

    async def delete(self, *offsets: int, timeout_ms: int = 30_000) -> PendingResponse:
        """Delete below these offsets of the topic's partitions."""
        partitions = [
            DeleteRecordsPartition(partition_index=index, offset=offset)
            for index, offset in enumerate(offsets)
        ]
        topics = [DeleteRecordsTopic(name="t", partitions=partitions)]
        return await self.send(DeleteRecordsRequest(topics=topics, timeout_ms=timeout_ms))

    async def latest(self) -> int:
        """The latest offset of the partition, as ListOffsets returns it."""
        requested = ListOffsetsPartition(partition_index=0, timestamp=-1)
        request = ListOffsetsRequest(
            replica_id=-1, topics=[ListOffsetsTopic(name="t", partitions=[requested])]
        )
        pending = await self.send(request, 7)
        [topic] = pending.response.topics
        return int(topic.partitions[0].offset)


async def settle() -> None:
    """Return when nothing more happens unless time passes."""
    await trio.testing.wait_all_tasks_blocked()


async def pass_ms(milliseconds: float) -> None:
    """Let time pass, and run what expires meanwhile."""
    await trio.sleep(milliseconds / 1000)
    await settle()


def produced(pending: PendingResponse) -> list[tuple[int, int]]:
    """Error and base offset of each partition of a produce, by partition."""
    [topic] = pending.response.responses
    return [(p.error_code, p.base_offset) for p in sorted(topic.partition_responses, key=_index)]


def fetched(pending: PendingResponse) -> list[tuple[int, list[bytes | None]]]:
    """Error and the records' values of each partition of a fetch."""
    [topic] = pending.response.responses
    return [
        (p.error_code, values(p.records or b""))
        for p in sorted(topic.partitions, key=_partition_index)
    ]


def values(data: bytes | memoryview) -> list[bytes | None]:
    """The values of all records in these batches."""
    return [record.value for start, _ in batches(data) for record in records(data, start)]


def deleted(pending: PendingResponse) -> list[tuple[int, int]]:
    """Error and low watermark of each partition of a deletion."""
    [topic] = pending.response.topics
    return [(p.error_code, p.low_watermark) for p in sorted(topic.partitions, key=_partition_index)]


_index: Callable[[Any], int] = lambda p: p.index  # noqa: E731 - two names for two spellings
_partition_index: Callable[[Any], int] = lambda p: p.partition_index  # noqa: E731 - the same


@asynccontextmanager
async def three_nodes(
    data_dir: Path,
    partitions: int = 1,
    brokers: int = 3,
    recorder: Callable[[Clock], Recorder] | None = None,
    racks: Sequence[str] = (),
    **config: str,
) -> AsyncIterator[ThreeNodes]:
    """The cluster, with a topic ``t`` of replication factor 3; followers may lag for 4 s."""
    config.setdefault("replica_lag_time_max_ms", str(LAG_MAX_MS))
    async with (
        running_cluster(
            data_dir, brokers, kept=False, recorder=recorder, offload=None, racks=racks, **config
        ) as running,
        trio.open_nursery() as nursery,
    ):
        running.controller.create_topic("t", assignments=[NODES] * partitions)
        await settle()
        yield ThreeNodes(running, nursery)
        nursery.cancel_scope.cancel()
