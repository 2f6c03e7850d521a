"""DeleteGroups: delete empty groups and the offsets they have committed.

Behaviour: each group has its own error, and occurs once in the response however often the request
names it; those that the client may not delete are the last ones. The response is sent when the
deletion is replicated.
"""

from __future__ import annotations

from collections.abc import Mapping

from broker.api.authorization.check import DELETE_GROUP
from broker.api.authorization.checks import unauthorized
from broker.api.handlers.replicated import when_all_replicated
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)


def delete_groups(request: Request[DeleteGroupsRequest]) -> Slices[DeleteGroupsResponse | Outcome]:
    """Delete each group that is empty."""
    names = dict.fromkeys(request.body.groups_names)
    refused = yield from unauthorized(request, DELETE_GROUP, names)
    errors: dict[str, ErrorCode] = {}
    for name in names:
        if name in refused:
            continue
        errors[name] = _delete(request, name)
        yield None
    errors.update((name, DELETE_GROUP.error_code) for name in names if name in refused)

    def response(ended: Mapping[str, ErrorCode]) -> DeleteGroupsResponse:
        results = [
            DeletableGroupResult(group_id=name, error_code=error or ended.get(name, error))
            for name, error in errors.items()
        ]
        return DeleteGroupsResponse(results=results)

    deleted = [name for name, error in errors.items() if not error]
    return when_all_replicated(request, deleted, response)


def _delete(request: Request[DeleteGroupsRequest], group_id: str) -> ErrorCode:
    try:
        request.services.groups.delete_group(group_id)
    except ApiError as error:
        return error.code
    return ErrorCode.NONE
