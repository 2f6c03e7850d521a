"""Answers that rest on what groups have written: they are told when that is replicated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from broker.api.handlers.parked import Parked
from broker.api.request import Request
from protocol.errors import ErrorCode


def when_replicated(
    request: Request[Any],
    group_id: str,
    response: object,
    refusal: Callable[[ErrorCode], object],
) -> object | None:
    """The response, if all that the group's log has been given is replicated; None: it is parked.

    If that takes too long, or the coordinator moves away, it becomes a *refusal*.
    """
    runtime = request.services.groups.runtime
    if runtime.is_replicated(group_id):
        return response

    def to_response(error: ErrorCode) -> object:
        return refusal(error) if error else response

    runtime.when_replicated(group_id, Parked(request, to_response))
    return None


def when_all_replicated(
    request: Request[Any],
    group_ids: Collection[str],
    to_response: Callable[[Mapping[str, ErrorCode]], object],
) -> object | None:
    """The response, made when all groups' writes are replicated or have failed; None: parked.

    *to_response* is given the error of each group that had to be waited for, NONE among them.
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
    return None
