"""ListGroups: the groups that this node coordinates.

Behaviour: names of states and types are case-insensitive; an unknown name matches nothing. The
response has no groups while any group is being loaded.

Versions: 4 states and a filter by them (KIP-518), 5 types and a filter by them (KIP-848).
"""

from __future__ import annotations

from broker.api.request import Request
from broker.common.errors import ApiError
from protocol.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse


def list_groups(request: Request[ListGroupsRequest]) -> ListGroupsResponse:
    """List the groups that match both filters; an empty filter matches all groups."""
    try:
        request.services.groups.runtime.check_all()
    except ApiError as error:
        return ListGroupsResponse(error_code=error.code, groups=[])
    states = {state.strip().lower() for state in request.body.states_filter}
    types = {each.strip().lower() for each in request.body.types_filter}
    return ListGroupsResponse(
        groups=[
            ListedGroup(
                group_id=group.group_id,
                protocol_type=group.protocol_type or "",
                group_state=group.state_name,
                group_type=group.group_type.value,
            )
            for group in request.services.groups.groups.values()
            if (not states or group.state_name.lower() in states)
            and (not types or group.group_type in types)
        ]
    )
