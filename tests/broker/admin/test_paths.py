"""What each path of the admin interface answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.admin.http import HttpError, HttpRequest
from broker.admin.paths import routes
from broker.admin.routes import Gate, Router
from broker.common.clock import TrioClock
from purgatories.timer.system_timer import SystemTimer
from tests.facts import FakeFacts, parked_fetch, parked_produce

pytestmark = pytest.mark.anyio

DOCUMENT = Path(__file__).parents[3] / "docs" / "reference" / "admin.md"


async def asked(facts: FakeFacts, target: str, method: str = "GET") -> tuple[int, object]:
    """Status and value, or status and line, of one request."""
    timer = SystemTimer("admin", now_ms=TrioClock(0).now_ms)
    router = Router(routes(facts, timer), Gate(frozenset({"h"})))
    try:
        response = await router(HttpRequest(method, target, {"host": "h"}))
    except HttpError as error:
        return error.status, error.message
    return response.status, response.value


async def test_facts_are_served() -> None:
    """Each path gives what the broker says at that moment."""
    facts = FakeFacts()

    assert await asked(facts, "/v1/cluster") == (200, facts.cluster())
    assert await asked(facts, "/v1/statistics") == (200, {"connections": 3})
    assert await asked(facts, "/v1/cluster?topic=t") == (
        400,
        "no parameter is named 'topic'; there are none here",
    )


async def test_requests_that_wait_are_served() -> None:
    """Those that match; what the broker does not keep is refused in its own words."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch()]

    assert await asked(facts, "/v1/requests?parked=1") == (200, {"requests": facts.parked})
    assert await asked(facts, "/v1/requests?parked=1&limit=1&client=consumer-1") == (
        200,
        {"requests": facts.parked[1:]},
    )
    assert (await asked(facts, "/v1/requests"))[0] == 501
    assert (await asked(facts, "/v1/requests?limit=0"))[0] == 400


async def test_a_state_can_be_waited_for() -> None:
    """Here it is so already; tests of the waiting itself have a file of their own."""
    facts = FakeFacts()
    facts.parked = [parked_fetch()]

    assert await asked(facts, "/v1/wait?for=parked&api=Fetch&timeout_ms=0") == (
        200,
        {"requests": facts.parked},
    )
    assert (await asked(facts, "/v1/wait?for=parked&timeout_ms=never"))[0] == 400


async def test_nodes_take_orders() -> None:
    """Each answers with the node as it is then."""
    facts = FakeFacts()

    async def ordered(order: str) -> object:
        status, node = await asked(facts, f"/v1/nodes/3/{order}", "POST")
        assert status == 200
        assert isinstance(node, dict)
        return node["id"], node["state"]

    assert await ordered("pause") == (3, "paused")
    assert await ordered("resume") == (3, "running")
    assert await ordered("stop") == (3, "stopped")
    assert await ordered("start") == (3, "running")


async def test_an_order_that_makes_no_sense_is_refused() -> None:
    """Another state is 409, a node that is not there 404; GET changes nothing."""
    facts = FakeFacts()

    assert await asked(facts, "/v1/nodes/3/resume", "POST") == (
        409,
        "node 3 is running, not paused",
    )
    assert await asked(facts, "/v1/nodes/4/stop", "POST") == (
        404,
        "there is no node 4; there are 1, 2, 3",
    )
    for text in ("three", "-1", "9" * 30, "1%00", "²"):
        assert (await asked(facts, f"/v1/nodes/{text}/stop", "POST"))[0] == 404
    assert (await asked(facts, "/v1/nodes/3/stop"))[0] == 405
    assert facts.states == {1: "running", 2: "running", 3: "running"}


def test_every_path_is_documented() -> None:
    """docs/reference/admin.md names each with its method."""
    table = routes(FakeFacts(), SystemTimer("admin", now_ms=lambda: 0.0))
    ways = {f"`{method} {path}`" for path in table for method in table[path]}
    text = DOCUMENT.read_text()

    assert {way for way in ways if way not in text} == set()
