"""The principal and the listener in records."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio.testing

from broker.security.principal import user
from broker.security.session import Session
from broker.wait_records.recorder import Recorder
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.broker.wait_records.records import kept_of
from tests.client import running_cluster

pytestmark = pytest.mark.anyio

FETCH_VERSION = 12


def _waiting_fetch() -> FetchRequest:
    """A fetch of an empty partition."""
    wanted = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
    topics = [FetchTopic(topic="t", partitions=[wanted])]
    return FetchRequest(max_wait_ms=500, min_bytes=1, topics=topics)


async def test_a_record_has_the_client_at_the_arrival_of_the_request(tmp_path: Path) -> None:
    """A new session, as of a client that authenticates again, is that of later requests."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        client = cluster.client(1)
        for session in (Session(user("alice"), listener="CLIENTS"), Session(user("bob"))):
            client.start(_waiting_fetch(), FETCH_VERSION)
            await trio.testing.wait_all_tasks_blocked()
            [connection] = cluster.node(1).connections
            connection.session = session
            await client.receive()

        kept = kept_of(cluster, "Fetch")

        assert [(each["principal"], each["listener"]) for each in kept] == [
            ("User:ANONYMOUS", "PLAINTEXT"),
            ("User:alice", "CLIENTS"),
        ]
