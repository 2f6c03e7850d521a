"""The rates of throttled replication limit a new replica, and no replica in sync."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from broker.wait_records.recorder import Recorder
from protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tests.broker.scenarios.three_nodes import KEY, ThreeNodes, pass_ms, produced, settle
from tests.broker.wait_records.records import kept_of
from tests.client import running_cluster

pytestmark = pytest.mark.anyio

_TOPIC, _BROKER = 2, 4
_SET, _DELETE = 0, 1
BATCH_BYTES = 100_000
BATCHES = 10
SIDES = ("leader", "follower")
# Node 1 leads, and node 2 gets a replica.
REPLICAS = {"leader": "0:1", "follower": "0:2"}


@asynccontextmanager
async def one_replica(data_dir: Path) -> AsyncIterator[ThreeNodes]:
    """Topic ``t`` has ten batches on node 1; a fetch of a follower returns one of them."""
    limit = str(BATCH_BYTES)
    async with (
        running_cluster(data_dir, 2, recorder=Recorder, replica_fetch_max_bytes=limit) as running,
        trio.open_nursery() as nursery,
    ):
        running.controller.create_topic("t", assignments=[(1,)])
        await settle()
        nodes = ThreeNodes(running, nursery)
        for _ in range(BATCHES):
            await nodes.produce(bytes(BATCH_BYTES))
        yield nodes
        nursery.cancel_scope.cancel()


async def _alter(
    nodes: ThreeNodes, kind: int, name: str, key: str, value: object, operation: int = _SET
) -> None:
    entry = AlterableConfig(name=key, config_operation=operation, value=str(value))
    resource = AlterConfigsResource(resource_type=kind, resource_name=name, configs=[entry])
    request = IncrementalAlterConfigsRequest(resources=[resource], validate_only=False)
    pending = await nodes.send(request)
    [response] = pending.response.responses
    assert response.error_code == 0, response.error_message


async def _throttle(nodes: ThreeNodes, side: str, rate: int, replicas: str) -> None:
    await _alter(nodes, _BROKER, "", f"{side}.replication.throttled.rate", rate)
    await _alter(nodes, _TOPIC, "t", f"{side}.replication.throttled.replicas", replicas)


@pytest.mark.parametrize("side", SIDES)
async def test_a_new_replica_gets_the_bytes_of_the_rate(tmp_path: Path, side: str) -> None:
    """One batch per second, and a fetch that is too early waits for its timeout."""
    async with one_replica(tmp_path) as nodes:
        await _throttle(nodes, side, BATCH_BYTES, REPLICAS[side])

        nodes.controller.reassign(KEY, [1, 2])
        await pass_ms(5000)
        first, in_sync = nodes.ends(2), nodes.isr()
        await pass_ms(20_000)

        assert 3 <= first[0] <= 6
        assert in_sync == (1,)
        assert (nodes.ends(2), nodes.isr()) == ([BATCHES], (1, 2))


async def test_the_record_of_a_throttled_fetch_has_the_partition(tmp_path: Path) -> None:
    """It waits for the timeout of the follower, and no bytes count."""
    async with one_replica(tmp_path) as nodes:
        await _throttle(nodes, "leader", 1, "*")
        nodes.controller.reassign(KEY, [1, 2])
        await pass_ms(1000)

        *_, record = kept_of(nodes.running, "Fetch", "node-2")

        assert record["waited_for"] == {
            "kind": "min_bytes",
            "need": 1,
            "had": 0,
            "throttled": [{"topic": "t", "partition": 0}],
        }
        assert record["completed_by"]["cause"] == "timeout"


@pytest.mark.parametrize("side", SIDES)
async def test_replicas_that_are_not_listed_are_not_throttled(tmp_path: Path, side: str) -> None:
    """The list names the replica of the other node."""
    other = REPLICAS["leader" if side == "follower" else "follower"]
    async with one_replica(tmp_path) as nodes:
        await _throttle(nodes, side, 1, other)

        nodes.controller.reassign(KEY, [1, 2])
        await pass_ms(1)

        assert (nodes.ends(2), nodes.isr()) == ([BATCHES], (1, 2))


@pytest.mark.parametrize("side", SIDES)
async def test_a_replica_in_sync_is_not_throttled(tmp_path: Path, side: str) -> None:
    """Its bytes exceed the rate, and count."""
    async with one_replica(tmp_path) as nodes:
        nodes.controller.reassign(KEY, [1, 2])
        await pass_ms(1)
        await _throttle(nodes, side, 1, "*")

        responses = [await nodes.produce(bytes(BATCH_BYTES)) for _ in range(3)]

        assert [produced(each) for each in responses] == [[(0, BATCHES + n)] for n in range(3)]
        assert nodes.ends(2) == [BATCHES + 3]


@pytest.mark.parametrize("side", SIDES)
async def test_without_the_rate_a_replica_catches_up(tmp_path: Path, side: str) -> None:
    """With the next fetch, which is at most a second later."""
    async with one_replica(tmp_path) as nodes:
        await _throttle(nodes, side, 1, "*")
        nodes.controller.reassign(KEY, [1, 2])
        await pass_ms(60_000)
        before = nodes.ends(2)

        await _alter(nodes, _BROKER, "", f"{side}.replication.throttled.rate", "", _DELETE)
        await pass_ms(1000)

        assert before[0] < BATCHES
        assert (nodes.ends(2), nodes.isr()) == ([BATCHES], (1, 2))
