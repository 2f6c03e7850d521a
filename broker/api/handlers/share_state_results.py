"""Collects the results of a request about the states of share partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Protocol, TypeVar
from uuid import UUID

from broker.api.authorization.check import CLUSTER_ACTION
from broker.api.authorization.checks import require
from broker.api.handlers.group_wait import stored_wait
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.share.persister import PersisterResult
from broker.share.share_partition_key import SharePartitionKey
from broker.steps.queue import Slices

Result = TypeVar("Result", bound=PersisterResult)
Response = TypeVar("Response")

# The results of the partitions of each topic.
ByTopic = Iterator[tuple[UUID, list[tuple[int, Result]]]]


class _Topic(Protocol):
    """The partitions of a topic in a request; each has a ``partition``."""

    topic_id: UUID
    partitions: Any


def share_states(
    request: Request[Any],
    call: Callable[[SharePartitionKey, Any, Callable[[Result], None]], None],
    to_response: Callable[[ByTopic[Result]], Response],
) -> Slices[Response | Outcome]:
    """Make the response of the results of *call*, which is called for each share partition.

    *call* gets the share partition, the part of the request about it, and its callback. A request
    without a group has no results, and a share partition that is named twice has one. Clients must
    be authorized for cluster actions.
    """
    require(request, CLUSTER_ACTION)
    group_id: str = request.body.group_id
    named = _named(group_id, request.body.topics if group_id else ())
    results: dict[SharePartitionKey, Result] = {}
    waiting: list[ResponseCallback[None]] = []

    def on_result(key: SharePartitionKey, result: Result) -> None:
        results[key] = result
        if waiting and len(results) == len(named):
            waiting[0](None)

    def respond(_: None) -> Response:
        return to_response(_by_topic((key, results[key]) for key in named))

    for key, part in named.items():
        call(key, part, partial(on_result, key))
        yield None
    if len(results) == len(named):
        return respond(None)
    wait = stored_wait(group_id, request.services.config.share_coordinator_write_timeout_ms)
    waiting.append(ResponseCallback(request, respond, wait))
    return PARKED


def _named(group_id: str, topics: Iterable[_Topic]) -> dict[SharePartitionKey, Any]:
    return {
        SharePartitionKey(group_id, topic.topic_id, part.partition): part
        for topic in topics
        for part in topic.partitions
    }


def _by_topic(results: Iterable[tuple[SharePartitionKey, Result]]) -> ByTopic[Result]:
    topics: dict[UUID, list[tuple[int, Result]]] = {}
    for key, result in results:
        topics.setdefault(key.topic_id, []).append((key.partition, result))
    return iter(topics.items())
