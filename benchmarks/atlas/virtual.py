"""Clusters in virtual time: the clock jumps to the next deadline when all tasks wait."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from broker.wait_records.recorder import Recorder
from protocol.messages.produce import ProduceRequest
from tests.batches import batch
from tests.client import RunningCluster, running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

T = TypeVar("T")
NODES = (1, 2, 3)


def in_virtual_time(work: Callable[[Path], Awaitable[T]]) -> T:
    """Run *work* with an empty folder; its waits take no real time."""
    with TemporaryDirectory() as folder:
        return trio.run(work, Path(folder), clock=MockClock(autojump_threshold=0))


@asynccontextmanager
async def replicated(data_dir: Path, **config: str) -> AsyncIterator[RunningCluster]:
    """Three nodes that record waits, and a topic ``t`` on all of them, led by node 1."""
    async with running_cluster(
        data_dir, 3, kept=False, recorder=Recorder, offload=None, **config
    ) as cluster:
        cluster.controller.create_topic("t", assignments=[NODES])
        await wait_all_tasks_blocked()
        yield cluster


def produce(
    acks: int = -1, timeout_ms: int = 30_000, value: bytes = b"value"
) -> tuple[ProduceRequest, int]:
    """A produce of one record to ``t``, and the version of the request."""
    return produce_request("t", batch(value), acks=acks, timeout_ms=timeout_ms), PRODUCE_VERSION
