"""`AsyncCluster` with a real broker, in asyncio and trio."""

from __future__ import annotations

import threading

import anyio
import psutil  # type: ignore[import-untyped]  # no types there
import pytest

from antechamber import AsyncCluster, NoBroker, StartError
from integration.machine.deadlines import eventually
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Both event loops."""
    name: str = request.param
    return name


def brokers() -> set[int]:
    """The process ids of the brokers that this process has started."""
    return {each.pid for each in psutil.Process().children()}


def connections(kafka: AsyncCluster) -> int:
    """The open connections of the admin interface."""
    port = int(kafka.admin.rpartition(":")[2])
    return sum(
        each.status == psutil.CONN_ESTABLISHED and each.laddr.port == port
        for each in psutil.Process(kafka.pid).net_connections("tcp")
    )


async def test_a_cluster_is_started_used_and_stopped() -> None:
    """A produce waits for a paused node, and completes when it has resumed."""
    async with AsyncCluster(brokers=2, topics=["orders:1:2"]) as kafka:
        await kafka.wait_in_sync("orders", timeout=60)
        [orders] = (await kafka.cluster())["topics"]
        leader = orders["partitions"][0]["leader"]
        await kafka.pause(3 - leader)
        _, host, port = kafka.nodes[leader - 1]
        with Connection(f"{host}:{port}") as connection:
            connection.send(produce("orders", 0, batch([b"a"])))
            [request] = await kafka.wait_parked("Produce", topic="orders", timeout=60)
            assert request["waited_for"]["behind"] == [3 - leader]
            await kafka.resume(3 - leader)
            await kafka.wait_high_watermark("orders", timeout=60)
        assert kafka.is_running
    assert not kafka.is_running
    with pytest.raises(NoBroker, match="the broker has ended with exit code 0"):
        await kafka.cluster()


async def test_the_clock_of_a_cluster_is_moved() -> None:
    """It is frozen within the block, and runs after it."""
    async with AsyncCluster() as kafka:
        async with kafka.clock.frozen():
            assert (await kafka.clock.state())["state"] == "frozen"
            assert int((await kafka.clock.advance(45))["advanced_ms"]) == 45_000
        assert (await kafka.clock.state())["state"] == "running"


async def test_a_fault_rule_is_set_and_removed() -> None:
    """A connection is closed after the effect of a produce; the rule ends with its block."""
    async with AsyncCluster(topics=["orders"]) as kafka:
        async with await kafka.faults.add("close", when="after", api="Produce", times=1) as lost:
            with Connection(kafka.bootstrap) as connection:
                connection.send(produce("orders", 0, batch([b"a"])))
                assert (await lost.wait_fired(timeout=60))["fired"] == 1
            assert await lost.state() == "spent"
            await kafka.wait_high_watermark("orders", timeout=60)
        assert await kafka.faults.all() == []


async def test_cancelled_waits_leave_nothing() -> None:
    """Neither a connection nor a thread, although they could wait for an hour."""
    async with AsyncCluster() as kafka:
        threads = threading.active_count()
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(kafka.wait_parked, "Fetch", None, 1, 3600.0)
            while connections(kafka) < 20:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        eventually(lambda: connections(kafka) == 0, "closed connections", within=60)
        assert threading.active_count() == threads


async def test_a_cancelled_start_stops_the_broker() -> None:
    """The process does not outlive the block."""
    before = brokers()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(AsyncCluster().__aenter__)
        while brokers() == before:
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()

    assert brokers() == before


async def test_a_start_that_fails_has_the_brokers_message() -> None:
    """As that of `Cluster`."""
    with pytest.raises(StartError, match=r"unknown\.key"):
        async with AsyncCluster(config={"unknown.key": 1}):
            pass
