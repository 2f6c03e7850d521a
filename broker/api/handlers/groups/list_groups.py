"""ListGroups: the groups that this node coordinates.

Behaviour: names of states and types are case-insensitive; an unknown name matches nothing. A filter
names the state NotReady of streams groups ``not_ready``, as Kafka's does. The response has no
groups while any group is being loaded. A client that may describe the cluster gets all groups,
others those that they may describe.

Versions: 4 states and a filter by them (KIP-518), 5 types and a filter by them (KIP-848).
"""

from __future__ import annotations

from broker.api.authorization.check import DESCRIBE_CLUSTER, DESCRIBE_GROUP
from broker.api.authorization.checks import is_authorized
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.streams.group import StreamsGroupState
from protocol.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse


def list_groups(request: Request[ListGroupsRequest]) -> ListGroupsResponse:
    """List the groups that match both filters; an empty filter matches all groups."""
    try:
        request.services.groups.runtime.check_all()
    except ApiError as error:
        return ListGroupsResponse(error_code=error.code, groups=[])
    states = {state.strip().lower() for state in request.body.states_filter}
    types = {each.strip().lower() for each in request.body.types_filter}
    is_all = is_authorized(request, DESCRIBE_CLUSTER, is_refusal_logged=False)
    return ListGroupsResponse(
        groups=[
            ListedGroup(
                group_id=group.group_id,
                protocol_type=group.protocol_type or "",
                group_state=group.state_name,
                group_type=group.group_type.value,
            )
            for group in request.services.groups.coordinated()
            if (not states or _filter_name(group.state_name) in states)
            and (not types or group.group_type in types)
            and (is_all or _is_visible(request, group.group_id))
        ]
    )


def _filter_name(state: str) -> str:
    return "not_ready" if state == StreamsGroupState.NOT_READY else state.lower()


def _is_visible(request: Request[ListGroupsRequest], group_id: str) -> bool:
    return is_authorized(request, DESCRIBE_GROUP, group_id, is_refusal_logged=False)
