"""The numbers of requests by client and API."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio.testing

from broker.api.request_counts import CLIENT_ID_CHARACTERS_MAX, Counted, RequestCounts
from protocol.messages.metadata import MetadataRequest
from tests.batches import batch
from tests.client import running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

PRODUCE, METADATA = 0, 3


async def test_the_requests_of_all_nodes_are_counted(tmp_path: Path) -> None:
    """Also those without a response, and those of a connection that changes its client id."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,)])
        client = cluster.client(1)
        for name in ("a", "b", "a"):
            await client.send(MetadataRequest(topics=None), client_id=name)
        await cluster.client(2).send(MetadataRequest(topics=None), client_id="a")
        client.start(produce_request("t", batch(b"x"), acks=0), PRODUCE_VERSION, client_id="a")
        await client.send(MetadataRequest(topics=None), client_id="b")

        assert cluster.cluster.request_counts.snapshot() == {
            Counted("a", METADATA): 3,
            Counted("a", PRODUCE): 1,
            Counted("b", METADATA): 2,
        }


async def test_a_node_that_starts_again_continues_to_count(tmp_path: Path) -> None:
    """The counts are those of the cluster."""
    async with running_cluster(tmp_path, 2) as cluster:
        for _ in range(2):
            await cluster.client(2).send(MetadataRequest(topics=None), client_id="a")
            await cluster.cluster.stop(2)
            await cluster.cluster.start(2)
            await trio.testing.wait_all_tasks_blocked()

        assert cluster.cluster.request_counts.snapshot()[Counted("a", METADATA)] == 2


def test_further_clients_are_counted_together() -> None:
    """So that clients with ever new ids do not fill the memory."""
    counts = RequestCounts(clients_max=1)
    for client in ("a", "b", "c", "x" * (CLIENT_ID_CHARACTERS_MAX + 1), "a"):
        counts.tally(client)[METADATA] += 1

    assert counts.snapshot() == {Counted("a", METADATA): 2, Counted(None, METADATA): 3}
