"""The wait of requests until all nodes have applied the changes of the cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.config.keys.authorization import STANDARD_AUTHORIZER
from broker.controller.metadata.image import TopicImage
from broker.steps.queue import Signal, Slices
from broker.wait_records.recorder import Recorder
from protocol.messages.create_partitions import CreatePartitionsRequest
from tests.broker.api.handlers.security.acl_requests import creation, creations
from tests.broker.wait_records.records import kept_of
from tests.client import RunningCluster, running_cluster
from tests.parked import parked_on

pytestmark = pytest.mark.anyio


class SlowNodes:
    """Three nodes, of which nodes 2 and 3 apply no change until their signals are set."""

    def __init__(self, cluster: RunningCluster) -> None:
        self.cluster = cluster
        self.released = {2: Signal(), 3: Signal()}


@asynccontextmanager
async def secured_nodes(data_dir: Path) -> AsyncIterator[RunningCluster]:
    """Three nodes with an authorizer, and with records."""
    async with running_cluster(
        data_dir,
        recorder=Recorder,
        authorizer_class_name=STANDARD_AUTHORIZER,
        super_users="User:ANONYMOUS",
    ) as cluster:
        yield cluster


@asynccontextmanager
async def slow_nodes(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SlowNodes]:
    """They apply a new topic, which takes until their signals are set."""
    async with secured_nodes(data_dir) as cluster:
        slow = SlowNodes(cluster)
        for node_id, released in slow.released.items():
            monkeypatch.setattr(cluster.node(node_id), "topic_changed", _waiting_for(released))
        cluster.controller.create_topic("t", assignments=[(1,)])
        yield slow
        for released in slow.released.values():
            released.set()


def _waiting_for(released: Signal) -> object:
    def topic_changed(_topic: TopicImage) -> Slices[None]:
        yield released

    return topic_changed


async def test_create_acls_waits_until_every_node_has_applied_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One wait, in Kafka's purgatory, for the nodes that lack the change."""
    async with slow_nodes(tmp_path, monkeypatch) as slow:
        client = slow.cluster.client(1)
        client.start(creations(creation()), 3)
        for node_id, released in slow.released.items():
            await trio.sleep(1)
            [facts] = parked_on(slow.cluster.node(1))
            waited_for = {"kind": "applied", "nodes": [*range(node_id, 4)]}
            assert (facts["purgatory"], facts["waited_for"]) == ("AlterAcls", waited_for)
            released.set()
        await client.receive()

        [record] = kept_of(slow.cluster, "CreateAcls")

    assert (record["purgatory"], record["earlier_waits"]) == ("AlterAcls", [])
    assert record["waited_for"] == {"kind": "applied", "nodes": [2, 3]}
    assert record["completed_by"] == {"cause": "applied"}
    assert record["parked_us"] == 2_000_000


async def test_a_disconnect_ends_the_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The record has the wait until then; the change is made nevertheless."""
    async with slow_nodes(tmp_path, monkeypatch) as slow:
        client = slow.cluster.client(1)
        client.start(creations(creation()), 3)
        await trio.sleep(1)
        client.close()
        await trio.testing.wait_all_tasks_blocked()

        [record] = kept_of(slow.cluster, "CreateAcls")
        assert len(slow.cluster.controller.image.acls) == 1

    assert (record["purgatory"], record["completed_by"]) == ("AlterAcls", {"cause": "disconnect"})
    assert record["parked_us"] == 1_000_000


async def test_other_changes_wait_in_a_purgatory_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every request that may change the cluster waits for the changes before it as well."""
    async with slow_nodes(tmp_path, monkeypatch) as slow:
        client = slow.cluster.client(1)
        client.start(CreatePartitionsRequest(topics=[], timeout_ms=1000, validate_only=False), 3)
        await trio.sleep(1)

        [facts] = parked_on(slow.cluster.node(1))
        assert facts["purgatory"] == "Metadata"


async def test_a_change_that_is_applied_at_once_does_not_wait(tmp_path: Path) -> None:
    """As on a node that does not work on another change."""
    async with secured_nodes(tmp_path) as cluster:
        await cluster.client(1).send(creations(creation()), 3)

        [record] = kept_of(cluster, "CreateAcls")
    assert record["purgatory"] is None
