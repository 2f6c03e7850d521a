"""Responds to the requests about the states of share partitions (KIP-932).

Behaviour: the node must lead the share partition's partition of ``__share_group_state``. A request
without a group has no results, nor has one with a topic without partitions, except for
InitializeShareGroupState. A share partition that is named twice is changed twice, and has the
last result. The response is sent when the results of all share partitions are replicated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from uuid import UUID

from broker.api.authorization.check import CLUSTER_ACTION
from broker.api.authorization.checks import require
from broker.api.handlers.group_wait import stored_wait
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.share.persister import PersisterResult
from broker.share.share_partition_key import SharePartitionKey, share_partition_key
from broker.steps.queue import Slices, finish

Result = TypeVar("Result", bound=PersisterResult)
Response = TypeVar("Response")
Part = TypeVar("Part")


class ResponseParts(NamedTuple, Generic[Result, Response]):
    """The classes of a response and its topics, and what makes the result of a partition."""

    response: Callable[..., Response]
    topic: Callable[..., Any]
    partition: Callable[[int, Result], Any]


class _Topic(Protocol):
    """The partitions of a topic in a request; each has a ``partition``."""

    topic_id: UUID
    partitions: Any


def share_states(
    request: Request[Any],
    call: Callable[[SharePartitionKey, Any, Callable[[Result], None]], None],
    parts: ResponseParts[Result, Response],
    *,
    needs_partitions: bool = True,
) -> Response | Outcome | Slices[Response | Outcome]:
    """Make the response of the results of *call*, which is called for each share partition.

    *call* gets the share partition, the part of the request about it, and its callback. A request
    about many is handled in slices. Clients must be authorized for cluster actions. With
    *needs_partitions* a topic without partitions leaves the response without results.
    """
    require(request, CLUSTER_ACTION)
    group_id: str = request.body.group_id
    topics: Sequence[_Topic] = request.body.topics
    if not group_id or (needs_partitions and not all(each.partitions for each in topics)):
        topics = ()
    named = _named(group_id, topics)
    slices = _share_states(request, named, call, parts)
    return slices if len(named) > ITEMS_AT_ONCE else finish(slices)


def _share_states(
    request: Request[Any],
    named: Sequence[tuple[SharePartitionKey, Any]],
    call: Callable[[SharePartitionKey, Any, Callable[[Result], None]], None],
    parts: ResponseParts[Result, Response],
) -> Slices[Response | Outcome]:
    results: dict[int, Result] = {}
    waiting: list[ResponseCallback[None]] = []

    def on_result(index: int, result: Result) -> None:
        results[index] = result
        if waiting and len(results) == len(named):
            waiting[0](None)

    def respond(_: None) -> Response:
        last = {key: results[index] for index, (key, _) in enumerate(named)}
        return _response(parts, last)

    for index, (key, part) in enumerate(named):
        call(key, part, partial(on_result, index))
        yield None
    if len(results) == len(named):
        return respond(None)
    wait = stored_wait(
        request.body.group_id, request.services.config.share_coordinator_write_timeout_ms
    )
    waiting.append(ResponseCallback(request, respond, wait))
    return PARKED


def _named(group_id: str, topics: Iterable[_Topic]) -> list[tuple[SharePartitionKey, Any]]:
    return [
        (share_partition_key(group_id, topic.topic_id, part.partition), part)
        for topic in topics
        for part in topic.partitions
    ]


def _response(
    parts: ResponseParts[Result, Response], results: Mapping[SharePartitionKey, Result]
) -> Response:
    topics: dict[UUID, list[Any]] = {}
    for key, result in results.items():
        topics.setdefault(key.topic_id, []).append(parts.partition(key.partition, result))
    return parts.response(
        results=[
            parts.topic(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in topics.items()
        ]
    )


def outcomes(made: Callable[..., Part]) -> Callable[[int, PersisterResult], Part]:
    """Makes results of partitions that have an error and its message only."""

    def outcome(partition: int, result: PersisterResult) -> Part:
        return made(partition=partition, error_code=result.error, error_message=result.message)

    return outcome
