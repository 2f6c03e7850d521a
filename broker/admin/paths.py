"""The paths of the admin interface, and what each answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from broker.admin.asked import read_condition, read_requests
from broker.admin.facts import Facts, JsonObject
from broker.admin.http import HttpError
from broker.admin.routes import Call, Handler, Routes
from broker.admin.wait import TIMEOUT_MS_DEFAULT, TIMEOUT_MS_MAX, wait_until
from purgatories.timer.system_timer import SystemTimer

_NODE_ID_MAX = 2**31 - 1


def routes(facts: Facts, timer: SystemTimer) -> Routes:
    """The table of paths; the time of those who wait runs on *timer*."""

    async def requests(call: Call) -> object:
        return {"requests": facts.requests(read_requests(call.query))}

    async def wait(call: Call) -> object:
        condition = read_condition(call.query)
        timeout_ms = call.query.whole("timeout_ms", 0, TIMEOUT_MS_MAX)
        if timeout_ms is None:
            timeout_ms = TIMEOUT_MS_DEFAULT
        return await wait_until(condition, facts, timer, timeout_ms)

    return {
        "/v1/cluster": {"GET": _tell(facts.cluster)},
        "/v1/statistics": {"GET": _tell(facts.statistics)},
        "/v1/requests": {"GET": requests},
        "/v1/wait": {"GET": wait},
        "/v1/nodes/{id}/pause": {"POST": _order(facts, _at_once(facts.pause))},
        "/v1/nodes/{id}/resume": {"POST": _order(facts, _at_once(facts.resume))},
        "/v1/nodes/{id}/stop": {"POST": _order(facts, facts.stop)},
        "/v1/nodes/{id}/start": {"POST": _order(facts, facts.start)},
    }


def _tell(fact: Callable[[], JsonObject]) -> Handler:
    async def answer(call: Call) -> object:
        call.query.allow()
        return fact()

    return answer


def _order(facts: Facts, carry_out: Callable[[int], Awaitable[None]]) -> Handler:
    """Do something to a node, and tell how it is now."""

    async def answer(call: Call) -> object:
        call.query.allow()
        node_id = _node_id(call.path["id"])
        await carry_out(node_id)
        nodes = facts.cluster()["nodes"]
        return next(node for node in nodes if node["id"] == node_id)

    return answer


def _at_once(order: Callable[[int], None]) -> Callable[[int], Awaitable[None]]:
    async def carry_out(node_id: int) -> None:
        order(node_id)

    return carry_out


def _node_id(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= _NODE_ID_MAX):
        raise HttpError(HTTPStatus.NOT_FOUND, f"{text!r} is not the id of a node")
    return int(text)
