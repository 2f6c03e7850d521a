"""The paths of the clock: ``/v1/clock`` and its adjustments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus

from broker.admin.facts.clock_facts import ClockFacts, FindEvent
from broker.admin.facts.json_object import JsonObject
from broker.admin.http import HttpError
from broker.admin.parameters import API_NAMES
from broker.admin.query import Query
from broker.admin.routes import Call, Routes
from broker.clock_control import events
from broker.common.topic_partition import TopicPartition

SPEED_MIN, SPEED_MAX = 0.001, 1_000.0
ADVANCE_MS_MAX = 366 * 86_400_000
STEPS_DEFAULT, STEPS_MAX = 100, 10_000
_INT_MAX = 2**31 - 1


def clock_routes(clock: ClockFacts) -> Routes:
    """The table of paths."""

    async def state(call: Call) -> object:
        call.query.allow()
        return clock.state()

    async def freeze(call: Call) -> object:
        call.query.allow()
        return clock.freeze()

    async def run(call: Call) -> object:
        call.query.allow("speed")
        speed = call.query.decimal("speed", SPEED_MIN, SPEED_MAX)
        return clock.run(1.0 if speed is None else speed)

    async def advance(call: Call) -> object:
        steps_max = call.query.whole("limit", 1, STEPS_MAX) or STEPS_DEFAULT
        return await _advance(clock, call.query)(steps_max)

    return {
        "/v1/clock": {"GET": state},
        "/v1/clock/freeze": {"POST": freeze},
        "/v1/clock/run": {"POST": run},
        "/v1/clock/advance": {"POST": advance},
    }


def _advance(clock: ClockFacts, query: Query) -> Callable[[int], Awaitable[JsonObject]]:
    """The advance that the parameters describe; raises `HttpError`."""
    name = query.choice("to", ("timer", *EVENTS))
    if name is None:
        query.allow("ms", "to", "limit")
        duration_ms = query.whole("ms", 0, ADVANCE_MS_MAX)
        if duration_ms is None:
            raise _refused(f"give ms, or to with one of timer, {', '.join(EVENTS)}")
        return partial(clock.advance_by, duration_ms)
    if name == "timer":
        query.allow("to", "limit")
        return clock.advance_to_task
    event = EVENTS[name](query)
    return partial(clock.advance_to, event)


def _session(query: Query) -> FindEvent:
    query.allow("to", "member", "group", "limit")
    member = _needed(query, "member")
    return partial(events.session_end, member_id=member, group_id=query.text("group"))


def _transaction(query: Query) -> FindEvent:
    query.allow("to", "transactional_id", "limit")
    return partial(events.transaction_timeout, transactional_id=_needed(query, "transactional_id"))


def _parked(query: Query) -> FindEvent:
    query.allow("to", "api", "client", "correlation", "limit")
    return partial(
        events.request_timeout,
        api=query.choice("api", API_NAMES),
        client_id=query.text("client"),
        correlation_id=query.whole("correlation", 0, _INT_MAX),
    )


def _retention(query: Query) -> FindEvent:
    query.allow("to", "topic", "partition", "limit")
    partition = query.whole("partition", 0, _INT_MAX)
    if partition is None:
        raise _refused("partition: give the partition of the topic")
    return partial(events.retention, key=TopicPartition(_needed(query, "topic"), partition))


EVENTS: dict[str, Callable[[Query], FindEvent]] = {
    "session": _session,
    "transaction": _transaction,
    "parked": _parked,
    "retention": _retention,
}


def _needed(query: Query, name: str) -> str:
    value = query.text(name)
    if value is None:
        raise _refused(f"{name}: give the {name.replace('_', ' ')}")
    return value


def _refused(message: str) -> HttpError:
    return HttpError(HTTPStatus.BAD_REQUEST, message)
