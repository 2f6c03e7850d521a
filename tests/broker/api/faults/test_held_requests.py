"""Fault rules that delay requests and responses, or never respond."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from broker.admin.facts.parked_requests import parked_requests
from tests.broker.api.faults.faulted_node import FaultedNode, faulted_node, pass_ms, settle

pytestmark = pytest.mark.anyio

DELAY = {"type": "delay", "ms": 300}
LATE = {"type": "delay", "ms": 300, "of": "response"}
HANG = {"type": "hang"}
LOST = {"type": "hang", "when": "after"}
SLOW = {"type": "slow", "bytes_per_second": 1}
HALF_OPEN = {"type": "half_open"}


def parked(node: FaultedNode) -> dict[str, Any]:
    """The only parked request."""
    running = node.running.node(1)
    [found] = parked_requests(1, running.clock, running.connections)
    return found


async def test_a_delayed_request_has_its_effect_later(tmp_path: Path) -> None:
    """After the delay, and not before."""
    async with faulted_node(tmp_path) as node:
        node.add(DELAY)

        began = trio.current_time()
        node.start()
        await pass_ms(299)
        assert node.log_end_offset == 0
        assert await node.produced() == (0, 0)
        assert round(trio.current_time() - began, 3) == pytest.approx(0.3, abs=0.002)


async def test_a_delayed_response_comes_after_the_effect(tmp_path: Path) -> None:
    """The records are appended at once."""
    async with faulted_node(tmp_path) as node:
        node.add(LATE)

        began = trio.current_time()
        node.start()
        await settle()
        assert node.log_end_offset == 1
        assert await node.produced() == (0, 0)
        assert round(trio.current_time() - began, 3) == pytest.approx(0.3, abs=0.002)


async def test_a_delayed_request_is_valid_when_others_have_used_the_buffer(tmp_path: Path) -> None:
    """All connections receive into one buffer."""
    async with faulted_node(tmp_path) as node:
        node.add(DELAY)
        node.start(b"first")
        await settle()
        other = node.running.client(1)
        node.start(b"other", client=other)
        await other.receive()

        assert await node.produced() == (0, 1)
        assert b"first" in await node.fetch(1)


async def test_the_next_request_waits_for_a_delayed_one(tmp_path: Path) -> None:
    """Responses keep the order of the requests."""
    async with faulted_node(tmp_path) as node:
        node.add(LATE)
        node.start(b"a")
        node.start(b"b")

        await pass_ms(250)
        assert node.client.nothing_arrived()
        assert [await node.produced(), await node.produced()] == [(0, 0), (0, 1)]


@pytest.mark.parametrize(
    ("action", "effect", "timeout_ms"),
    [
        (DELAY, "delay_request", 300),
        (LATE, "delay_response", 300),
        (HANG, "hang", None),
        (LOST, "hang_response", None),
        (HALF_OPEN, "half_open", None),
    ],
)
async def test_a_held_request_is_parked(
    tmp_path: Path, action: dict[str, Any], effect: str, timeout_ms: int | None
) -> None:
    """Its wait names the rule and its effect."""
    async with faulted_node(tmp_path) as node:
        node.add(action, name="lost-acks")
        node.start()
        await settle()

        found = parked(node)

        assert (found["purgatory"], found["timeout_ms"]) == ("Fault", timeout_ms)
        assert found["remaining_ms"] == timeout_ms
        assert found["waited_for"] == {
            "kind": "fault",
            "effect": effect,
            "rule": 1,
            "name": "lost-acks",
            "action": action["type"],
        }


@pytest.mark.parametrize("action", [DELAY, LATE])
async def test_a_delay_is_recorded(tmp_path: Path, action: dict[str, Any]) -> None:
    """As a wait that timed out, with the rule."""
    async with faulted_node(tmp_path) as node:
        node.add(action)
        await node.produce()
        await settle()

        record = node.record()

        assert record["fault"] == {"rule": 1, "name": None, "action": "delay"}
        assert (record["purgatory"], record["completed_by"]) == ("Fault", {"cause": "timeout"})
        assert 300_000 <= record["parked_us"] <= 302_000


async def test_a_response_is_delayed_after_another_wait(tmp_path: Path) -> None:
    """The record has both waits; the phases add up to the total."""
    async with faulted_node(tmp_path) as node:
        node.add(LATE, match={"api": "Fetch"})
        began = trio.current_time()

        assert await node.fetch(0, max_wait_ms=200, min_bytes=1) == b""

        assert trio.current_time() - began == pytest.approx(0.5, abs=0.003)
        record = node.record()
        [earlier] = record["earlier_waits"]
        assert (earlier["purgatory"], record["purgatory"]) == ("Fetch", "Fault")
        assert earlier["completed_by"] == {"cause": "timeout"}
        assert 500_000 <= record["parked_us"] <= 503_000


async def test_a_request_that_hangs_has_no_effect(tmp_path: Path) -> None:
    """And no response, for any time."""
    async with faulted_node(tmp_path) as node:
        node.add(HANG)
        node.start()

        await pass_ms(3_600_000)

        assert node.client.nothing_arrived()
        assert node.log_end_offset == 0


async def test_a_response_that_hangs_follows_the_effect(tmp_path: Path) -> None:
    """The client does not know that its records were appended."""
    async with faulted_node(tmp_path) as node:
        node.add(LOST)
        node.start()

        await pass_ms(3_600_000)

        assert node.client.nothing_arrived()
        assert node.log_end_offset == 1


@pytest.mark.parametrize(
    "action", [DELAY, LATE, HANG, LOST, {"type": "slow", "bytes_per_second": 1}]
)
async def test_a_disconnect_ends_the_wait(tmp_path: Path, action: dict[str, Any]) -> None:
    """Its record has the cause; nothing is left in the timer."""
    async with faulted_node(tmp_path) as node:
        timers = node.rules.timer.size
        rule = node.add(action)
        node.start()
        await settle()

        node.client.close()
        await settle()

        assert node.record()["completed_by"] == {"cause": "disconnect"}
        assert (node.rules.timer.size, rule.held) == (timers, set())


@pytest.mark.parametrize("action", [DELAY, LATE, SLOW])
async def test_a_delay_ends_with_its_rule(tmp_path: Path, action: dict[str, Any]) -> None:
    """The request continues at once."""
    async with faulted_node(tmp_path) as node:
        node.add(action)
        node.start()
        await settle()
        began = trio.current_time()

        node.rules.clear()

        assert await node.produced() == (0, 0)
        assert trio.current_time() == began
        await settle()
        assert node.record()["completed_by"] == {"cause": "rule_removed"}


@pytest.mark.parametrize("action", [HANG, LOST, HALF_OPEN])
async def test_a_connection_that_hangs_is_closed_with_its_rule(
    tmp_path: Path, action: dict[str, Any]
) -> None:
    """The request never has a response."""
    async with faulted_node(tmp_path) as node:
        rule = node.add(action)
        node.start()
        await settle()

        node.rules.remove(rule.id)

        assert await node.client.closed()


async def test_a_half_open_connection_is_not_read(tmp_path: Path) -> None:
    """A disconnect of its client remains unknown until the connection is closed as idle."""
    async with faulted_node(tmp_path) as node:
        rule = node.add(HALF_OPEN)
        node.start()
        await settle()

        node.client.close()
        await pass_ms(500_000)

        assert len(rule.held) == 1
        node.rules.clear()
        await settle()
        assert not list(node.running.node(1).connections)


async def test_a_hold_ends_with_its_node(tmp_path: Path) -> None:
    """Its connections close."""
    async with faulted_node(tmp_path) as node:
        rule = node.add(LATE)
        node.start()
        await settle()

        await node.running.cluster.stop(1)

        assert rule.held == set()
