"""Reads the parameters of ``/v1/requests`` and ``/v1/wait``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus

from broker.admin.conditions import Condition, GroupStable, HighWatermark, InSync, Parked
from broker.admin.facts import LIMIT_DEFAULT, LIMIT_MAX, RequestQuery
from broker.admin.http import HttpError
from broker.admin.query import Query
from broker.api.table import HANDLERS

API_NAMES = sorted(request.__name__.removesuffix("Request") for request in HANDLERS)
_INT_MAX = 2**31 - 1
_LONG_MAX = 2**63 - 1


def read_requests(query: Query) -> RequestQuery:
    """The requests that the parameters select; raises `HttpError`."""
    query.allow("parked", "api", "topic", "client", "correlation", "followers", "limit")
    limit = query.whole("limit", 1, LIMIT_MAX) or LIMIT_DEFAULT
    correlation = query.whole("correlation", 0, _INT_MAX)
    parked = query.flag("parked")
    return replace(_filter(query), parked=parked, correlation=correlation, limit=limit)


def read_transaction(query: Query) -> tuple[str, int, int]:
    """Topic, partition and producer id; all of them are required. Raises `HttpError`."""
    query.allow("topic", "partition", "producer_id")
    topic, partition = _partition(query)
    producer_id = query.whole("producer_id", 0, _LONG_MAX)
    if topic is None or partition is None or producer_id is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, "give topic, partition and producer_id")
    return topic, partition, producer_id


def read_condition(query: Query) -> Condition:
    """The condition that the parameters describe; raises `HttpError`."""
    name = query.choice("for", CONDITIONS)
    if name is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, f"for: give one of {', '.join(CONDITIONS)}")
    return CONDITIONS[name](query)


def _parked(query: Query) -> Parked:
    query.allow("for", "api", "topic", "client", "followers", "count", "timeout_ms")
    count = query.whole("count", 1, LIMIT_MAX) or 1
    return Parked(replace(_filter(query), parked=True, limit=count))


def _high_watermark(query: Query) -> HighWatermark:
    query.allow("for", "topic", "partition", "timeout_ms")
    return HighWatermark(*_partition(query))


def _in_sync(query: Query) -> InSync:
    query.allow("for", "topic", "partition", "count", "timeout_ms")
    return InSync(*_partition(query), query.whole("count", 0, LIMIT_MAX))


def _group_stable(query: Query) -> GroupStable:
    query.allow("for", "group", "count", "timeout_ms")
    group = query.text("group")
    if group is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, "group: give the group to wait for")
    return GroupStable(group, query.whole("count", 1, LIMIT_MAX) or 1)


CONDITIONS: dict[str, Callable[[Query], Condition]] = {
    "parked": _parked,
    "hw": _high_watermark,
    "isr": _in_sync,
    "group_stable": _group_stable,
}


def _filter(query: Query) -> RequestQuery:
    return RequestQuery(
        api=query.choice("api", API_NAMES),
        topic=query.text("topic"),
        client=query.text("client"),
        followers=query.flag("followers"),
    )


def _partition(query: Query) -> tuple[str | None, int | None]:
    topic, partition = query.text("topic"), query.whole("partition", 0, _INT_MAX)
    if partition is not None and topic is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, "partition: give the topic as well")
    return topic, partition
