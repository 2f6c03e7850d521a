"""DeleteGroups: deletes groups.

v2 flexible.
"""

from __future__ import annotations

from protocol.apis import DELETE_GROUPS
from protocol.schema import body, int16, int32, string, struct


@body(DELETE_GROUPS)
class DeleteGroupsRequest:
    groups_names: list[string]


@body(DELETE_GROUPS)
class DeleteGroupsResponse:
    throttle_time_ms: int32 = 0
    results: list[DeletableGroupResult]


@struct
class DeletableGroupResult:
    group_id: string
    error_code: int16 = 0
