"""DeleteGroups: deletes groups.

v2 flexible.
"""

from __future__ import annotations

from protocol.schema import int16, int32, message, string, struct


@message(42, versions=(0, 2), flexible=2)
class DeleteGroupsRequest:
    groups_names: list[string]


@message(42, versions=(0, 2), flexible=2)
class DeleteGroupsResponse:
    throttle_time_ms: int32 = 0
    results: list[DeletableGroupResult]


@struct
class DeletableGroupResult:
    group_id: string
    error_code: int16 = 0
