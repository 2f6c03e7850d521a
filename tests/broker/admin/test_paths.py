"""The responses of each path of the admin interface."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.admin.access import AccessRules
from broker.admin.http import HttpError, HttpRequest, PlainText
from broker.admin.paths import routes
from broker.admin.routes import Router
from broker.common.clock import TrioClock
from broker.security.admin_tokens import NO_TOKENS, AdminTokens
from purgatories.timer.system_timer import SystemTimer
from tests.facts import REMOVED, FakeFacts, parked_fetch, parked_produce

pytestmark = pytest.mark.anyio

DOCUMENT = Path(__file__).parents[3] / "docs" / "reference" / "admin.md"


async def request(
    facts: FakeFacts,
    target: str,
    method: str = "GET",
    tokens: AdminTokens = NO_TOKENS,
    authorization: str = "",
    body: bytes = b"",
) -> tuple[int, object]:
    """The status, and the value or the message, of one request."""
    timer = SystemTimer("admin", now_ms=TrioClock(0).now_ms)
    router = Router(routes(facts, timer), AccessRules(frozenset({"h"}), tokens))
    headers = {"host": "h", "authorization": authorization}
    try:
        response = await router(HttpRequest(method, target, headers, body))
    except HttpError as error:
        return error.status, error.message
    return response.status, response.value


async def test_facts_are_served() -> None:
    """Each response has the present values."""
    facts = FakeFacts()

    assert await request(facts, "/v1/cluster") == (200, facts.state())
    assert await request(facts, "/v1/statistics") == (200, {"connections": 3})
    assert await request(facts, "/v1/timers") == (200, {"timers": []})
    assert await request(facts, "/v1/sessions?group=g&limit=3") == (200, {"sessions": []})
    shares = "/v1/share_partitions?group=g&topic=t&partition=0&batches=0&limit=3"
    assert await request(facts, shares) == (200, {"share_partitions": []})
    assert await request(facts, "/v1/transactions?limit=3") == (200, {"transactions": []})
    assert await request(facts, "/metrics") == (
        200,
        PlainText("a_metric 1.0\n", "text/plain; version=0.0.4; charset=utf-8"),
    )
    assert await request(facts, "/v1/cluster?topic=t") == (
        400,
        "no parameter is named 'topic'; this path has none",
    )


async def test_parked_requests_are_served() -> None:
    """Those that match; completed requests are refused with 501 if they are not recorded."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch()]

    assert await request(facts, "/v1/requests?parked=1") == (200, {"requests": facts.parked})
    assert await request(facts, "/v1/requests?parked=1&limit=1&client=consumer-1") == (
        200,
        {"requests": facts.parked[1:]},
    )
    assert (await request(facts, "/v1/requests"))[0] == 501
    assert (await request(facts, "/v1/requests?limit=0"))[0] == 400


async def test_a_condition_can_be_waited_for() -> None:
    """Here it holds already; test_wait.py tests the waiting."""
    facts = FakeFacts()
    facts.parked = [parked_fetch()]

    assert await request(facts, "/v1/wait?for=parked&api=Fetch&timeout_ms=0") == (
        200,
        {"requests": facts.parked},
    )
    assert (await request(facts, "/v1/wait?for=parked&timeout_ms=never"))[0] == 400


async def test_nodes_are_paused_resumed_stopped_and_started() -> None:
    """The response is the node in its new state."""
    facts = FakeFacts()

    async def change(name: str) -> object:
        status, node = await request(facts, f"/v1/nodes/3/{name}", "POST")
        assert status == 200
        assert isinstance(node, dict)
        return node["id"], node["state"]

    assert await change("pause") == (3, "paused")
    assert await change("resume") == (3, "running")
    for ending in ("stop", "shutdown"):
        assert await change(ending) == (3, "stopped")
        assert await change("start") == (3, "running")


async def test_a_change_that_is_not_possible_is_refused() -> None:
    """A node in another state is 409, an unknown node 404, and a GET 405."""
    facts = FakeFacts()

    assert await request(facts, "/v1/nodes/3/resume", "POST") == (
        409,
        "node 3 is running, not paused",
    )
    assert await request(facts, "/v1/nodes/4/stop", "POST") == (
        404,
        "there is no node 4, only 1, 2, 3",
    )
    for text in ("three", "-1", "9" * 30, "1%00", "²"):
        assert (await request(facts, f"/v1/nodes/{text}/stop", "POST"))[0] == 404
    assert (await request(facts, "/v1/nodes/3/stop"))[0] == 405
    assert facts.states == {1: "running", 2: "running", 3: "running"}


async def test_a_read_only_token_allows_every_get_and_nothing_else() -> None:
    """A GET is served or has another error than 401 and 403."""
    facts, tokens = FakeFacts(), AdminTokens("full", "reads")
    table = routes(facts, SystemTimer("admin", now_ms=lambda: 0.0))
    for path in table:
        target = path.replace("{id}", "3")
        for method in table[path]:
            status, _ = await request(facts, target, method, tokens, "Bearer reads")
            assert (status == 403) is (method != "GET"), (method, path)
            assert status != 401

    assert set(facts.states.values()) == {"running"}


def test_every_path_is_documented() -> None:
    """docs/reference/admin.md has each with its method."""
    table = routes(FakeFacts(), SystemTimer("admin", now_ms=lambda: 0.0))
    ways = {f"`{method} {path}`" for path in table for method in table[path]}
    text = DOCUMENT.read_text()

    assert {way for way in ways if way not in text} == set()


async def test_a_hanging_transaction_is_listed_and_aborted() -> None:
    """Topic, partition and producer id are required; one that does not hang is a conflict."""
    facts = FakeFacts()
    hanging = {"topic": "t", "partition": 0, "producer_id": 7}
    facts.hanging = [hanging]
    path = "/v1/transactions/abort?topic=t&partition=0"

    assert await request(facts, "/v1/transactions?hanging=1") == (200, {"transactions": [hanging]})
    assert await request(facts, path, "POST") == (400, "give topic, partition and producer_id")
    assert await request(facts, f"{path}&producer_id=7", "POST") == (200, hanging)
    assert (await request(facts, f"{path}&producer_id=7", "POST"))[0] == 409


async def test_a_reset_has_a_prefix_or_none() -> None:
    """The response is what was removed; other parameters are refused."""
    facts = FakeFacts()

    assert await request(facts, "/v1/reset", "POST") == (200, REMOVED)
    assert await request(facts, "/v1/reset?prefix=test-1-", "POST") == (200, REMOVED)
    assert facts.reset_prefixes == [None, "test-1-"]
    assert await request(facts, "/v1/reset?topics=t", "POST") == (
        400,
        "no parameter is named 'topics'; there are prefix",
    )


async def test_a_reset_with_an_empty_prefix_is_refused() -> None:
    """It would remove what the other tests that run in parallel have made."""
    facts = FakeFacts()

    assert await request(facts, "/v1/reset?prefix=", "POST") == (
        400,
        "prefix: it is empty; give a text, or leave the parameter out",
    )
    assert not facts.reset_prefixes
