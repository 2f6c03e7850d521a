"""The asynchronous handle, with an admin interface in memory."""

from __future__ import annotations

from typing import Any, assert_type

import anyio
import pytest

import antechamber
from antechamber import AsyncHandle, AsyncRunningCluster, Node
from antechamber.asynchronous.broker_clock import AsyncBrokerClock
from antechamber.asynchronous.broker_faults import AsyncBrokerFaults
from tests.admin_server import serving
from tests.facts import FakeFacts, parked_fetch

pytestmark = pytest.mark.anyio


async def test_a_running_cluster_is_used() -> None:
    """A property that makes a request is a coroutine here."""
    facts = FakeFacts()
    facts.parked = [parked_fetch()]
    with serving(facts) as url:
        kafka = AsyncRunningCluster(url)
        assert kafka.admin == url
        assert await kafka.bootstrap() == "127.0.0.1:9092,127.0.0.1:9093,127.0.0.1:9094"
        assert (await kafka.nodes())[0] == Node(1, "127.0.0.1", 9092)
        assert await kafka.wait_parked("Fetch") == facts.parked
        await kafka.pause(3)
        assert facts.states[3] == "paused"
        with pytest.raises(antechamber.AdminError, match="node 3 is paused, not running"):
            await kafka.pause(3)
        assert await kafka.is_running()
    assert not await kafka.is_running()


async def test_a_request_is_explained() -> None:
    """Also by the topic that it names."""
    facts = FakeFacts()
    facts.parked = [parked_fetch()]
    with serving(facts) as url:
        explained = await AsyncRunningCluster(url).explain("Fetch", topic="orders")

    assert explained.startswith("Fetch 3 of client consumer-1")


async def test_type_checkers_know_what_is_awaited() -> None:
    """`make check` compares the types; here the same calls run."""
    facts = FakeFacts()
    facts.parked = [parked_fetch()]
    with serving(facts) as url:
        kafka: AsyncHandle = AsyncRunningCluster(url)
        assert_type(await kafka.wait_parked("Fetch", timeout=60), list[dict[str, Any]])
        assert_type(await kafka.wait_in_sync(timeout=60), None)
        assert_type(await kafka.clock.state(), dict[str, Any])
        assert_type(kafka.clock, AsyncBrokerClock)
        assert_type(kafka.faults, AsyncBrokerFaults)
        assert_type(kafka.admin, str)


class RememberedClient:
    """Keeps the adjustments of the clock."""

    def __init__(self) -> None:
        self.adjustments: list[str] = []

    async def adjust_clock(self, adjustment: str, **_: object) -> None:
        """Take part in the cancellation of the caller, as a request does."""
        await anyio.lowlevel.checkpoint()
        self.adjustments.append(adjustment)


async def test_a_frozen_clock_runs_again_after_a_cancellation() -> None:
    """The request after it is shielded."""
    client = RememberedClient()
    clock = AsyncBrokerClock(client)  # type: ignore[arg-type]  # it has what is used
    with anyio.CancelScope() as scope:
        async with clock.frozen():
            scope.cancel()
            await anyio.lowlevel.checkpoint()

    assert client.adjustments == ["freeze", "run"]
