"""Responses of group requests, which are sent when the group's records are replicated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, Protocol, TypeVar

from broker.api.handlers.group_wait import stored_wait
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.handlers.wait_rules import group_rules
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.offset_metadata_manager import OffsetCommit, PreparedCommit
from protocol.errors import ErrorCode

Response = TypeVar("Response")


class PartitionResponse(Protocol):
    """The part of a response about a partition."""

    error_code: int


def when_replicated(
    request: Request[Any],
    group_id: str,
    response: Response,
    refusal: Callable[[ErrorCode], Response],
) -> Response | Outcome:
    """Return the response if all writes of the group are replicated, or else park the request.

    If replication times out, or the coordinator moves to another node, the response is a *refusal*.
    """
    services = request.services
    runtime = services.groups.runtime
    if runtime.is_replicated(group_id):
        return response

    def to_response(error: ErrorCode) -> Response:
        return refusal(error) if error else response

    rules = partial(group_rules, services, [group_id])
    wait = stored_wait(group_id, services.config.offsets_commit_timeout_ms, rules)
    runtime.when_replicated(group_id, ResponseCallback(request, to_response, wait))
    return PARKED


def when_committed(
    request: Request[Any],
    commit: OffsetCommit,
    partitions: Iterable[PartitionResponse],
    response: Response,
    refusal: Callable[[ErrorCode], Response],
    prepared: PreparedCommit | None = None,
) -> Response | Outcome:
    """Commit offsets, and return the response as `when_replicated` does.

    *partitions* are the parts of the response about the commits, in the same order; their errors
    are set. *prepared* is the commit if it has been prepared in slices.
    """
    try:
        errors = request.services.groups.offsets.commit(commit, prepared)
    except ApiError as refused:
        return refusal(refused.code)
    for partition, error in zip(partitions, errors, strict=True):
        partition.error_code = error
    return when_replicated(request, commit.group_id, response, refusal)


def when_all_replicated(
    request: Request[Any],
    group_ids: Collection[str],
    to_response: Callable[[Mapping[str, ErrorCode]], Response],
) -> Response | Outcome:
    """Make the response when the writes of all groups are replicated or have failed.

    *to_response* is given the error, or NONE, of each group whose writes were not replicated when
    this was called. The request is parked unless all were.
    """
    services = request.services
    runtime = services.groups.runtime
    waiting = [each for each in group_ids if not runtime.is_replicated(each)]
    ended: dict[str, ErrorCode] = {}
    if not waiting:
        return to_response(ended)
    group_id = waiting[0] if len(waiting) == 1 else None
    rules = partial(group_rules, services, waiting)
    wait = stored_wait(group_id, services.config.offsets_commit_timeout_ms, rules)
    respond = ResponseCallback(request, to_response, wait)

    def on_end(group_id: str, error: ErrorCode) -> None:
        ended[group_id] = error
        if len(ended) == len(waiting):
            respond(ended)

    for each in waiting:
        runtime.when_replicated(each, partial(on_end, each))
    return PARKED
