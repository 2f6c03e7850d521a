"""SyncGroup."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.handlers.groups.join_group import join_group
from broker.api.handlers.groups.sync_group import sync_group
from protocol.errors import ErrorCode
from tests.broker.api.handlers.groups.group_request import GroupServices, call
from tests.broker.api.handlers.groups.membership import join_request, stable_member, sync_request

PROTOCOL = {"protocol_type": "consumer", "protocol_name": "p"}


@pytest.mark.parametrize("version", range(6))
def test_the_leader_gets_its_own_assignment_in_every_version(version: int) -> None:
    """From v5 on with type and name of the protocol (KIP-559)."""
    node = GroupServices()
    member_id = call(join_group, join_request(node)).member_id
    named = PROTOCOL if version >= 5 else {}
    request = sync_request(
        node, version, member_id=member_id, assignments={member_id: b"part"}, **named
    )
    response = call(sync_group, request)

    assert (response.error_code, bytes(response.assignment)) == (ErrorCode.NONE, b"part")
    if version >= 5:
        assert (response.protocol_type, response.protocol_name) == ("consumer", "p")


@pytest.mark.parametrize("missing", PROTOCOL)
def test_v5_requires_type_and_name_of_the_protocol(missing: str) -> None:
    """They are checked first."""
    named: dict[str, Any] = PROTOCOL | {missing: None}
    response = call(
        sync_group, sync_request(GroupServices(), 5, member_id="m", group_id="", **named)
    )

    assert response.error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def test_a_follower_is_parked_until_the_leaders_request() -> None:
    """Both get their own assignment."""
    node = GroupServices()
    leader = stable_member(node)
    joining = join_request(node)
    call(join_group, joining)
    call(join_group, join_request(node, member_id=leader))
    follower = joining.responses[0].member_id
    waiting = sync_request(node, member_id=follower, generation_id=2)
    assert call(sync_group, waiting) is None

    parts = {leader: b"one", follower: b"two"}
    call(sync_group, sync_request(node, member_id=leader, generation_id=2, assignments=parts))

    assert [bytes(each.assignment) for each in waiting.responses] == [b"two"]


def test_after_a_disconnect_there_is_no_response() -> None:
    """The member keeps its assignment, and can request it again."""
    node = GroupServices()
    leader = stable_member(node)
    joining = join_request(node)
    call(join_group, joining)
    call(join_group, join_request(node, member_id=leader))
    follower = joining.responses[0].member_id
    waiting = sync_request(node, member_id=follower, generation_id=2)
    call(sync_group, waiting)
    assert waiting.on_disconnect is not None
    waiting.on_disconnect()

    parts = {follower: b"two"}
    call(sync_group, sync_request(node, member_id=leader, generation_id=2, assignments=parts))

    assert waiting.responses == []
    again = call(sync_group, sync_request(node, member_id=follower, generation_id=2))
    assert bytes(again.assignment) == b"two"
