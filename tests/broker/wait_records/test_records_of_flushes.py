"""The records of produces that wait for a flush."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.storage.files.blocking_work import Then
from broker.storage.files.flusher import Flusher
from broker.wait_records.recorder import Recorder
from tests.batches import batch
from tests.broker.wait_records.records import kept_of
from tests.client import Client, RunningCluster, running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def _waiting_for_a_flush(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[RunningCluster, Client, list[Then]]]:
    """A client whose produce waits for a flush, and the callbacks that end the flush."""
    async with running_cluster(data_dir, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", configs={"flush.messages": "1"})
        flushed: list[Then] = []
        monkeypatch.setattr(Flusher, "sync", lambda _self, _, then: flushed.append(then))
        client = cluster.client(1)
        client.start(produce_request("t", batch(b"a"), acks=1), PRODUCE_VERSION)
        await trio.sleep(2)
        yield cluster, client, flushed


async def test_a_produce_that_waits_for_a_flush_has_the_cause_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a request, since the flush completes it."""
    async with _waiting_for_a_flush(tmp_path, monkeypatch) as (cluster, client, flushed):
        flushed.pop()(None)
        await client.receive()

        [record] = kept_of(cluster, "Produce")

        assert (record["purgatory"], record["waited_for"]) == ("Produce", {"kind": "flush"})
        assert (record["completed_by"], record["parked_us"]) == ({"cause": "flush"}, 2_000_000)


async def test_a_produce_abandoned_during_a_flush_is_recorded_with_what_it_appended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client disconnects before the records are on the disk."""
    async with _waiting_for_a_flush(tmp_path, monkeypatch) as (cluster, client, _):
        client.close()
        await trio.testing.wait_all_tasks_blocked()

        [record] = kept_of(cluster, "Produce")

        assert record["completed_by"] == {"cause": "disconnect"}
        [partition] = record["partitions"]
        assert (partition["offset"], partition["records"], partition["error"]) == (0, 1, 0)
