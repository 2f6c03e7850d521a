"""The paths of the admin interface and their handlers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus

from broker.admin.client_paths import client_routes
from broker.admin.clock_paths import clock_routes
from broker.admin.conditions.table import read_condition
from broker.admin.facts.facts import LIMIT_DEFAULT, LIMIT_MAX, Facts
from broker.admin.facts.json_object import JsonObject
from broker.admin.fault_paths import fault_routes
from broker.admin.http import HttpError, PlainText, Streamed
from broker.admin.maintenance_paths import maintenance_routes
from broker.admin.openapi.document import openapi_document
from broker.admin.page.live_state import LiveState
from broker.admin.page.live_streams import LiveStreams
from broker.admin.parameters import read_prefix, read_requests, read_transaction
from broker.admin.routes import Call, Handler, Routes
from broker.admin.wait import TIMEOUT_MS_DEFAULT, TIMEOUT_MS_MAX, wait_until
from purgatories.timer.system_timer import SystemTimer

EVENTS_CONTENT_TYPE = "text/event-stream"
METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_NODE_ID_MAX = 2**31 - 1


def routes(facts: Facts, timer: SystemTimer) -> Routes:
    """The table of paths; timeouts run on *timer*."""
    streams = LiveStreams(LiveState(facts.live_parts, facts.changes, timer))

    async def cluster(call: Call) -> object:
        call.query.allow()
        return await facts.cluster()

    async def requests(call: Call) -> object:
        return {"requests": facts.requests(read_requests(call.query))}

    async def transactions(call: Call) -> object:
        call.query.allow("hanging", "limit")
        limit = call.query.whole("limit", 1, LIMIT_MAX) or LIMIT_DEFAULT
        return facts.transactions(call.query.flag("hanging"), limit)

    async def abort(call: Call) -> object:
        return await facts.abort_transaction(*read_transaction(call.query))

    async def wait(call: Call) -> object:
        condition = read_condition(call.query)
        timeout_ms = call.query.whole("timeout_ms", 0, TIMEOUT_MS_MAX)
        if timeout_ms is None:
            timeout_ms = TIMEOUT_MS_DEFAULT
        return await wait_until(condition, facts, timer, timeout_ms)

    async def reset(call: Call) -> object:
        return await facts.reset(read_prefix(call.query))

    async def metrics(call: Call) -> object:
        call.query.allow()
        return PlainText(facts.metrics(), METRICS_CONTENT_TYPE)

    async def events(call: Call) -> object:
        call.query.allow()
        return Streamed(partial(streams.write, call.access), EVENTS_CONTENT_TYPE)

    return {
        "/metrics": {"GET": metrics},
        "/v1/cluster": {"GET": cluster},
        "/v1/statistics": {"GET": _get(facts.statistics)},
        "/v1/timers": {"GET": _get(facts.timers)},
        "/v1/requests": {"GET": requests},
        **client_routes(facts),
        "/v1/transactions": {"GET": transactions},
        "/v1/transactions/abort": {"POST": abort},
        "/v1/wait": {"GET": wait},
        "/v1/events": {"GET": events},
        "/v1/reset": {"POST": reset},
        **clock_routes(facts.clock),
        **fault_routes(facts.faults),
        **maintenance_routes(facts.maintenance),
        "/v1/nodes/{id}/pause": {"POST": _change_node(facts, _as_async(facts.pause))},
        "/v1/nodes/{id}/resume": {"POST": _change_node(facts, _as_async(facts.resume))},
        "/v1/nodes/{id}/stop": {"POST": _change_node(facts, facts.stop)},
        "/v1/nodes/{id}/shutdown": {"POST": _change_node(facts, facts.shut_down)},
        "/v1/nodes/{id}/start": {"POST": _change_node(facts, facts.start)},
        "/v1/openapi.json": {"GET": _get(openapi_document)},
    }


def _get(fact: Callable[[], JsonObject]) -> Handler:
    """Return a fact; the path has no parameters."""

    async def handle(call: Call) -> object:
        call.query.allow()
        return fact()

    return handle


def _change_node(facts: Facts, change: Callable[[int], Awaitable[None]]) -> Handler:
    """Change the state of a node, and return the node afterwards."""

    async def handle(call: Call) -> object:
        call.query.allow()
        node_id = _node_id(call.path["id"])
        await change(node_id)
        return facts.node(node_id)

    return handle


def _as_async(change: Callable[[int], None]) -> Callable[[int], Awaitable[None]]:
    async def changed(node_id: int) -> None:
        change(node_id)

    return changed


def _node_id(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= _NODE_ID_MAX):
        raise HttpError(HTTPStatus.NOT_FOUND, f"{text!r} is not the id of a node")
    return int(text)
