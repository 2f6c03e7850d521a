"""Reads parameters that several paths have."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

from broker.admin.facts.facts import LIMIT_DEFAULT, LIMIT_MAX, RequestQuery, ShareQuery
from broker.admin.http import HttpError
from broker.admin.query import Query
from protocol.apis import APIS

API_NAMES = sorted(api.name for api in APIS.values())
_INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1


def read_requests(query: Query) -> RequestQuery:
    """The requests that the parameters select; raises `HttpError`."""
    query.allow("parked", "api", "topic", "client", "correlation", "followers", "limit")
    limit = query.whole("limit", 1, LIMIT_MAX) or LIMIT_DEFAULT
    correlation = query.whole("correlation", 0, _INT_MAX)
    parked = query.flag("parked")
    return replace(read_filter(query), parked=parked, correlation=correlation, limit=limit)


def read_share_partitions(query: Query) -> ShareQuery:
    """The share partitions that the parameters select; raises `HttpError`."""
    query.allow("group", "topic", "partition", "batches", "limit")
    topic, partition = read_partition(query)
    limit = query.whole("limit", 1, LIMIT_MAX) or LIMIT_DEFAULT
    batches = query.whole("batches", 0, LIMIT_MAX)
    found = ShareQuery(query.text("group"), topic, partition, limit)
    return found if batches is None else replace(found, batches=batches)


def read_transaction(query: Query) -> tuple[str, int, int]:
    """Topic, partition and producer id; all of them are required. Raises `HttpError`."""
    query.allow("topic", "partition", "producer_id")
    topic, partition = read_partition(query)
    producer_id = query.whole("producer_id", 0, LONG_MAX)
    if topic is None or partition is None or producer_id is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, "give topic, partition and producer_id")
    return topic, partition, producer_id


def read_required(query: Query, name: str, remedy: str) -> str:
    """The text of a parameter that must be given; raises `HttpError` with *remedy*."""
    value = query.text(name)
    if value is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, f"{name}: {remedy}")
    return value


def read_prefix(query: Query) -> str | None:
    """The prefix of the names that are meant; None if all are.

    An empty one is refused: a test whose prefix is missing must not reset those of other tests.
    """
    query.allow("prefix")
    return query.non_empty("prefix")


def read_filter(query: Query) -> RequestQuery:
    """The requests that match API, topic and client; raises `HttpError`."""
    return RequestQuery(
        api=query.choice("api", API_NAMES),
        topic=query.text("topic"),
        client=query.text("client"),
        followers=query.flag("followers"),
    )


def read_partition(query: Query) -> tuple[str | None, int | None]:
    """The topic and its partition, if they are given; raises `HttpError`."""
    topic, partition = query.text("topic"), query.whole("partition", 0, _INT_MAX)
    if partition is not None and topic is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, "partition: give the topic as well")
    return topic, partition
