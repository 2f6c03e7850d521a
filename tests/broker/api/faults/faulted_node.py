"""A recorded node in memory on which tests set fault rules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trio.testing

from broker.faults.rule import FaultRule
from broker.wait_records.recorder import Recorder
from tests.batches import batch
from tests.client import Client, RunningCluster, running_cluster
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request


class FaultedNode:
    """One node with topic orders of one partition, and a client."""

    def __init__(self, running: RunningCluster, recorder: Recorder) -> None:
        self.running = running
        self.recorder = recorder
        self.rules = running.cluster.faults
        self.client = running.client(1)

    def add(self, action: dict[str, Any], **rule: Any) -> FaultRule:
        """Set a rule, by default for one Produce request."""
        [added] = self.rules.add(
            {"match": {"api": "Produce"}, "times": 1, "action": action, **rule}
        )
        return added

    def start(self, value: bytes = b"a", acks: int = -1, client: Client | None = None) -> None:
        """Send a Produce without waiting for its response."""
        request = produce_request("orders", batch(value), acks=acks)
        (client or self.client).start(request, PRODUCE_VERSION)

    async def produce(self, value: bytes = b"a") -> tuple[int, int]:
        """The error and the base offset of a produce."""
        self.start(value)
        return await self.produced()

    async def produced(self) -> tuple[int, int]:
        """The error and the base offset of the produce that was started."""
        response = await self.client.receive()
        [partition] = response.responses[0].partition_responses
        return partition.error_code, partition.base_offset

    async def fetch(self, offset: int = 0, **request: Any) -> bytes:
        """The records of a fetch."""
        response = await self.client.send(fetch_request("orders", offset, **request), FETCH_VERSION)
        [partition] = response.responses[0].partitions
        return bytes(partition.records)

    @property
    def log_end_offset(self) -> int:
        """The number of records that were appended."""
        [partition] = self.running.node(1).replicas.partitions.values()
        return partition.log.log_end_offset

    def record(self) -> dict[str, Any]:
        """The last wait record."""
        return self.recorder.recent[-1].to_dict()


@asynccontextmanager
async def faulted_node(tmp_path: Path) -> AsyncIterator[FaultedNode]:
    """Run the node."""
    recorders = list[Recorder]()

    def recorder(clock: Any) -> Recorder:
        recorders.append(Recorder(clock))
        return recorders[0]

    async with running_cluster(tmp_path, 1, recorder=recorder) as running:
        running.controller.create_topic("orders", partitions=1)
        await settle()
        yield FaultedNode(running, recorders[0])


async def settle() -> None:
    """Let the broker work until it waits."""
    await trio.testing.wait_all_tasks_blocked()


async def pass_ms(milliseconds: float) -> None:
    """Let time pass, and run what expires meanwhile."""
    await trio.sleep(milliseconds / 1000)
    await settle()
