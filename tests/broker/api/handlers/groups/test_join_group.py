"""JoinGroup."""

from __future__ import annotations

import gc
import weakref

import pytest

from broker.api.handlers.groups.join_group import join_group
from broker.api.handlers.groups.sync_group import sync_group
from protocol.errors import ErrorCode
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call
from tests.broker.api.handlers.groups.membership import join_request, stable_member, sync_request
from tests.broker.groups.virtual_world import classic_group


@pytest.mark.parametrize("version", range(10))
def test_a_first_member_joins_at_every_version(version: int) -> None:
    """From v4 on it gets its id first (KIP-394)."""
    node = GroupServices()
    response = call(join_group, join_request(node, version))
    if version >= 4:
        assert response.error_code == ErrorCode.MEMBER_ID_REQUIRED
        assert response.protocol_name == (None if version >= 7 else "")
        response = call(join_group, join_request(node, version, member_id=response.member_id))

    assert response.error_code == ErrorCode.NONE
    assert (response.generation_id, response.protocol_name) == (1, "p")
    assert response.leader == response.member_id
    (only,) = response.members
    assert (only.member_id, bytes(only.metadata)) == (response.member_id, b"metadata")
    assert response.protocol_type == ("consumer" if version >= 7 else None)
    assert not response.skip_assignment


def test_a_member_id_begins_with_the_client_id() -> None:
    """A null client id is an empty one."""
    node = GroupServices()

    assert call(join_group, join_request(node)).member_id.startswith("client-")
    anonymous = join_request(node, 4, client_id=None, group_id="h")
    assert call(join_group, anonymous).member_id.startswith("-")


def test_v0_uses_the_session_timeout_for_rebalances() -> None:
    """It has no rebalance timeout."""
    node = GroupServices()
    call(join_group, join_request(node, 0, session_timeout_ms=7_000))

    assert classic_group(node.groups, "g").rebalance_timeout_ms == 7_000


def test_errors_are_returned_at_once() -> None:
    """With the member id of the request."""
    response = call(join_group, join_request(GroupServices(), 9, group_id="", member_id="m"))

    assert (response.error_code, response.member_id) == (ErrorCode.INVALID_GROUP_ID, "m")
    assert (response.generation_id, response.leader, response.members) == (-1, "", [])


def test_a_join_that_waits_is_parked() -> None:
    """The response is sent once, when the other member has joined too."""
    node = GroupServices()
    member_id = stable_member(node)
    waiting = join_request(node)
    assert call(join_group, waiting) is None

    call(join_group, join_request(node, member_id=member_id))

    (response,) = waiting.responses
    assert (response.generation_id, response.leader, response.members) == (2, member_id, [])
    assert waiting.on_disconnect is None


def test_a_static_leader_skips_the_assignment() -> None:
    """v9; in older versions the response does not name it as the leader."""
    node = GroupServices()
    member_id = call(join_group, join_request(node, 9, group_instance_id="i")).member_id
    call(sync_group, sync_request(node, member_id=member_id))

    back = call(join_group, join_request(node, 9, group_instance_id="i"))
    again = call(join_group, join_request(node, 8, group_instance_id="i"))

    assert (back.skip_assignment, back.leader) == (True, back.member_id)
    assert again.leader == back.member_id != again.member_id


def test_a_disconnect_while_parked_leaves_the_member_only() -> None:
    """The member stays in the group, but no reference to the request or connection remains."""
    node = GroupServices()
    member_id = stable_member(node)
    waiting = join_request(node)
    call(join_group, waiting)
    assert waiting.on_disconnect is not None
    waiting.on_disconnect()
    kept: weakref.ref[GroupRequest] = weakref.ref(waiting)
    responses = waiting.responses
    del waiting
    gc.collect()

    assert kept() is None
    response = call(join_group, join_request(node, member_id=member_id))
    assert len(response.members) == 2
    assert responses == []
