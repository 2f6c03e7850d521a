"""Answers that rest on what groups have written: they are told when that is replicated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, TypeVar

from broker.api.handlers.parked import Parked
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from protocol.errors import ErrorCode

Response = TypeVar("Response")


def when_replicated(
    request: Request[Any],
    group_id: str,
    response: Response,
    refusal: Callable[[ErrorCode], Response],
) -> Response | Outcome:
    """Return the response if all writes of the group are replicated, or else park the request.

    If replication times out, or the coordinator moves to another node, the response is a *refusal*.
    """
    runtime = request.services.groups.runtime
    if runtime.is_replicated(group_id):
        return response

    def to_response(error: ErrorCode) -> Response:
        return refusal(error) if error else response

    runtime.when_replicated(group_id, Parked(request, to_response))
    return PARKED


def when_all_replicated(
    request: Request[Any],
    group_ids: Collection[str],
    to_response: Callable[[Mapping[str, ErrorCode]], Response],
) -> Response | Outcome:
    """Make the response when the writes of all groups are replicated or have failed.

    *to_response* is given the error, or NONE, of each group whose writes were not replicated when
    this was called. The request is parked unless all were.
    """
    runtime = request.services.groups.runtime
    waiting = [each for each in group_ids if not runtime.is_replicated(each)]
    ended: dict[str, ErrorCode] = {}
    if not waiting:
        return to_response(ended)
    answer = Parked(request, to_response)

    def on_end(group_id: str, error: ErrorCode) -> None:
        ended[group_id] = error
        if len(ended) == len(waiting):
            answer(ended)

    for group_id in waiting:
        runtime.when_replicated(group_id, partial(on_end, group_id))
    return PARKED
