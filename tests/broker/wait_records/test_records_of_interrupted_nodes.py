"""The records of requests that wait for nodes which are paused or stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio.testing

from broker.wait_records.recorder import Recorder
from tests.batches import batch
from tests.broker.wait_records.records import kept_of
from tests.client import running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


async def test_a_record_has_the_state_of_a_stopped_node(tmp_path: Path) -> None:
    """The node leaves the in-sync set, which completes the produce that waited for it."""
    async with running_cluster(tmp_path, 3, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        client = cluster.client(1)
        cluster.cluster.pause(3)
        client.start(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        await cluster.cluster.stop(3)
        await client.receive()

        waited_for = kept_of(cluster, "Produce")[-1]["waited_for"]

        assert dict(zip(waited_for["behind"], waited_for["behind_states"], strict=True)) == {
            2: "running",
            3: "stopped",
        }
