"""DeleteGroups: deletes empty groups and the offsets they have committed.

Behaviour: each group has its own error, and occurs once in the response however often the request
names it; those that the client may not delete are the last ones. The states of the share partitions
of a share group are deleted before the group is. The response is sent when the deletion is
replicated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from broker.api.authorization.check import DELETE_GROUP
from broker.api.authorization.checks import unauthorized
from broker.api.handlers.group_wait import stored_wait
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.offset_metadata_manager import PreparedTombstones
from broker.groups.share.group import ShareGroup
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)

OnEnd = Callable[[ErrorCode], None]


def delete_groups(request: Request[DeleteGroupsRequest]) -> Slices[DeleteGroupsResponse | Outcome]:
    """Delete each group that is empty."""
    names = dict.fromkeys(request.body.groups_names)
    refused = yield from unauthorized(request, DELETE_GROUP, names)
    errors: dict[str, ErrorCode] = {}
    ordered = sorted(names, key=refused.__contains__)
    waiting: list[ResponseCallback[None]] = []

    def on_end(name: str, error: ErrorCode) -> None:
        errors[name] = error
        if waiting and len(errors) == len(names):
            waiting[0](None)

    def response(_: None) -> DeleteGroupsResponse:
        results = [DeletableGroupResult(group_id=name, error_code=errors[name]) for name in ordered]
        return DeleteGroupsResponse(results=results)

    for name in ordered:
        if name in refused:
            errors[name] = DELETE_GROUP.error_code
        else:
            yield from _delete(request, name, partial(on_end, name))
        yield None
    if len(errors) == len(names):
        return response(None)
    group_id = ordered[0] if len(ordered) == 1 else None
    wait = stored_wait(group_id, request.services.config.offsets_commit_timeout_ms)
    waiting.append(ResponseCallback(request, response, wait))
    return PARKED


def _delete(request: Request[DeleteGroupsRequest], group_id: str, on_end: OnEnd) -> Slices[None]:
    """Delete a group; *on_end* is called, now or later, when that is replicated or has failed."""
    groups = request.services.groups
    try:
        group = groups.group(group_id)
        group.check_deletion()
    except ApiError as error:
        on_end(error.code)
        return
    if isinstance(group, ShareGroup):  # it has no offsets
        deleted = partial(_delete_unless, request, group_id, on_end)
        groups.share.initialization.delete_states(group, deleted)
    else:
        offsets = yield from groups.offsets.prepare_tombstones(group_id)
        _delete_now(request, group_id, on_end, offsets)


def _delete_unless(
    request: Request[DeleteGroupsRequest], group_id: str, on_end: OnEnd, error: ErrorCode
) -> None:
    """Delete a group whose states have been deleted, unless that has an *error*."""
    if error:
        on_end(error)
    else:
        _delete_now(request, group_id, on_end)


def _delete_now(
    request: Request[DeleteGroupsRequest],
    group_id: str,
    on_end: OnEnd,
    offsets: PreparedTombstones | None = None,
) -> None:
    groups = request.services.groups
    try:
        groups.delete_group(group_id, offsets)
    except ApiError as error:
        on_end(error.code)
    else:
        groups.runtime.when_replicated(group_id, on_end)
