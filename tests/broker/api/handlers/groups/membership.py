"""JoinGroup and SyncGroup requests with defaults."""

from __future__ import annotations

from typing import Any

from broker.api.handlers.groups.join_group import join_group
from broker.api.handlers.groups.sync_group import sync_group
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call


def join_request(node: GroupServices, version: int = 3, **fields: Any) -> GroupRequest:
    """A JoinGroup; before v4 it needs no id."""
    client_id = fields.pop("client_id", "client")
    values: dict[str, Any] = {
        "group_id": "g",
        "session_timeout_ms": 10_000,
        "rebalance_timeout_ms": 20_000,
        "member_id": "",
        "protocol_type": "consumer",
        "protocols": [JoinGroupRequestProtocol(name="p", metadata=b"metadata")],
    }
    return GroupRequest(node, JoinGroupRequest(**values | fields), version, client_id)


def sync_request(
    node: GroupServices,
    version: int = 3,
    assignments: dict[str, bytes] | None = None,
    **fields: Any,
) -> GroupRequest:
    """A SyncGroup of generation 1."""
    values: dict[str, Any] = {
        "group_id": "g",
        "generation_id": 1,
        "assignments": [
            SyncGroupRequestAssignment(member_id=member_id, assignment=part)
            for member_id, part in (assignments or {}).items()
        ],
    }
    return GroupRequest(node, SyncGroupRequest(**values | fields), version)


def stable_member(node: GroupServices) -> str:
    """Make a stable group of one member, and return its id."""
    member_id: str = call(join_group, join_request(node)).member_id
    call(sync_group, sync_request(node, member_id=member_id, assignments={member_id: b"part"}))
    return member_id
