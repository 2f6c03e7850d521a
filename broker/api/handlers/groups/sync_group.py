"""SyncGroup: a member gets its assignment, which the leader's request contains.

Behaviour: the request is parked until the leader's assignment has come and is replicated; in a
stable group the response is sent at once. A rebalance that begins meanwhile completes the request
with REBALANCE_IN_PROGRESS. As in Kafka, a client that disconnects while its request is parked
leaves its member in the group, and the request of a member that is removed while it is parked gets
no response.

Versions: 3 static members (KIP-345), 5 protocol type and name, which are then required (KIP-559).
"""

from __future__ import annotations

from functools import partial

from broker.api.authorization.check import READ_GROUP
from broker.api.authorization.checks import require
from broker.api.handlers.group_wait import members_wait, stored_wait
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.handlers.wait_rules import group_rules
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.groups.classic.requests import SyncGroup, SyncResult
from broker.steps.queue import Slices, finish
from broker.wait_records.wait import Wait
from protocol.errors import ErrorCode
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

_PROTOCOL_SINCE = 5


_Result = SyncGroupResponse | Outcome


def sync_group(request: Request[SyncGroupRequest]) -> _Result | Slices[_Result]:
    """Park the request with its group; the response may be sent before this returns.

    The assignments of many members are read in slices.
    """
    body = request.body
    unnamed = body.protocol_type is None or body.protocol_name is None
    if request.version >= _PROTOCOL_SINCE and unnamed:
        return _response(SyncResult(error=ErrorCode.INCONSISTENT_GROUP_PROTOCOL))
    require(request, READ_GROUP, body.group_id)
    slices = _sync_group(request)
    return slices if len(body.assignments) > ITEMS_AT_ONCE else finish(slices)


def _sync_group(request: Request[SyncGroupRequest]) -> Slices[_Result]:
    body, assignments = request.body, {}
    for each in body.assignments:
        assignments[each.member_id] = bytes(each.assignment)
        yield None
    sync = SyncGroup(
        group_id=body.group_id,
        generation_id=body.generation_id,
        member_id=body.member_id,
        group_instance_id=body.group_instance_id,
        protocol_type=body.protocol_type,
        protocol_name=body.protocol_name,
        assignments=assignments,
    )
    groups = request.services.groups
    wait: Wait = members_wait(groups.rebalance_limit, sync.group_id)
    if assignments:  # the leader's waits for the log only
        rules = partial(group_rules, request.services, [sync.group_id])
        timeout_ms = request.services.config.offsets_commit_timeout_ms
        wait = stored_wait(sync.group_id, timeout_ms, rules)
    groups.sync_group(sync, ResponseCallback(request, _response, wait))
    return PARKED


def _response(result: SyncResult) -> SyncGroupResponse:
    return SyncGroupResponse(
        error_code=result.error,
        protocol_type=result.protocol_type,
        protocol_name=result.protocol_name,
        assignment=result.assignment,
    )
