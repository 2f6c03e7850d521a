"""The events after which the condition of a wait was checked."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import trio

from broker.wait_records.recorder import Recorder
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.batches import batch
from tests.broker.wait_records.records import kept_of
from tests.client import running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("traces", [True, False])
async def test_the_events_of_checks_are_kept_for_traces_only(tmp_path: Path, traces: bool) -> None:
    """Those after which the wait went on; the last one is in ``completed_by``."""
    recorder = partial(Recorder, traces=traces)
    async with running_cluster(tmp_path, 1, recorder=recorder) as cluster:
        cluster.controller.create_topic("t")
        records = batch(b"a")
        producer, reader = cluster.client(1), cluster.client(1)
        wanted = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
        topic = FetchTopic(topic="t", partitions=[wanted])
        reader.start(FetchRequest(max_wait_ms=9000, min_bytes=2 * len(records), topics=[topic]), 12)
        for _ in range(2):
            await trio.sleep(2)
            await producer.send(produce_request("t", records), PRODUCE_VERSION, "billing")
        await reader.receive()

        [record] = kept_of(cluster, "Fetch")

    by = {"cause": "append", "topic": "t", "partition": 0}
    request = {"api": "Produce", "client_id": "billing"}
    first = {**by, "offset": 1, "request": {**request, "correlation_id": 1}}
    assert record["completed_by"] == {
        **by,
        "offset": 2,
        "request": {**request, "correlation_id": 2},
    }
    assert record.get("checked") == ([{"after_us": 2_000_000, **first}] if traces else None)
