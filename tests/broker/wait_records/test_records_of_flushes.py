"""Stories of requests that waited for the disk."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from broker.storage.background import Then
from broker.wait_records.recorder import Recorder
from tests.batches import batch
from tests.broker.wait_records.records import kept_of
from tests.client import running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


async def test_a_produce_that_waits_for_the_disk_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The flush ends it, nobody's request."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", configs={"flush.messages": "1"})
        flushed: list[Then] = []
        flusher = cluster.node(1).logs._flusher
        monkeypatch.setattr(flusher, "sync", lambda _, then: flushed.append(then))
        client = cluster.client(1)
        client.start(produce_request("t", batch(b"a"), acks=1), PRODUCE_VERSION)
        await trio.sleep(2)
        flushed.pop()(None)
        await client.receive()

        [told] = kept_of(cluster, "Produce")

        assert (told["purgatory"], told["waited_for"]) == ("Produce", {"kind": "flush"})
        assert (told["completed_by"], told["parked_us"]) == ({"cause": "flush"}, 2_000_000)
