"""ListGroups: the groups of a node.

v3 flexible, v4 by state (KIP-518), v5 by type (KIP-848).
"""

from __future__ import annotations

from protocol.apis import LIST_GROUPS
from protocol.schema import body, int16, int32, since, string, struct


@body(LIST_GROUPS)
class ListGroupsRequest:
    states_filter: list[string] = since(4, factory=list)
    types_filter: list[string] = since(5, factory=list)


@body(LIST_GROUPS)
class ListGroupsResponse:
    throttle_time_ms: int32 = since(1, default=0)
    error_code: int16 = 0
    groups: list[ListedGroup]


@struct
class ListedGroup:
    group_id: string
    protocol_type: string
    group_state: string = since(4, default="")
    group_type: string = since(5, default="")
