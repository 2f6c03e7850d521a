"""JoinGroup, as a client sees it."""

from __future__ import annotations

import gc
import weakref

import pytest

from broker.api.handlers.join_group import join_group
from broker.api.handlers.sync_group import sync_group
from protocol.errors import ErrorCode
from tests.broker.api.handlers.group_request import GroupNode, GroupRequest, ask
from tests.broker.api.handlers.membership import join_request, stable_member, sync_request
from tests.broker.groups.virtual_world import classic_group


@pytest.mark.parametrize("version", range(10))
def test_a_first_member_joins_at_every_version(version: int) -> None:
    """From v4 on with an id that it is given first (KIP-394)."""
    node = GroupNode()
    response = ask(join_group, join_request(node, version))
    if version >= 4:
        assert response.error_code == ErrorCode.MEMBER_ID_REQUIRED
        assert response.protocol_name == (None if version >= 7 else "")
        response = ask(join_group, join_request(node, version, member_id=response.member_id))

    assert response.error_code == ErrorCode.NONE
    assert (response.generation_id, response.protocol_name) == (1, "p")
    assert response.leader == response.member_id
    (only,) = response.members
    assert (only.member_id, bytes(only.metadata)) == (response.member_id, b"metadata")
    assert response.protocol_type == ("consumer" if version >= 7 else None)
    assert not response.skip_assignment


def test_a_member_id_begins_with_the_client_s_name() -> None:
    """A client without a name is a client with an empty one."""
    node = GroupNode()

    assert ask(join_group, join_request(node)).member_id.startswith("client-")
    anonymous = join_request(node, 4, client_id=None, group_id="h")
    assert ask(join_group, anonymous).member_id.startswith("-")


def test_v0_rebalances_within_the_session_timeout() -> None:
    """It cannot ask for more."""
    node = GroupNode()
    ask(join_group, join_request(node, 0, session_timeout_ms=7_000))

    assert classic_group(node.groups, "g").rebalance_timeout_ms == 7_000


def test_refusals_are_answered_at_once() -> None:
    """With the member id that was sent."""
    response = ask(join_group, join_request(GroupNode(), 9, group_id="", member_id="m"))

    assert (response.error_code, response.member_id) == (ErrorCode.INVALID_GROUP_ID, "m")
    assert (response.generation_id, response.leader, response.members) == (-1, "", [])


def test_a_join_that_must_wait_is_parked() -> None:
    """And answered once, when the one who is missing has joined too."""
    node = GroupNode()
    member_id = stable_member(node)
    waiting = join_request(node)
    assert ask(join_group, waiting) is None

    ask(join_group, join_request(node, member_id=member_id))

    (response,) = waiting.answers
    assert (response.generation_id, response.leader, response.members) == (2, member_id, [])
    assert waiting.on_disconnect is None


def test_a_static_leader_is_told_to_skip_the_assignment() -> None:
    """v9; older versions are not told that they lead."""
    node = GroupNode()
    member_id = ask(join_group, join_request(node, 9, group_instance_id="i")).member_id
    ask(sync_group, sync_request(node, member_id=member_id))

    back = ask(join_group, join_request(node, 9, group_instance_id="i"))
    again = ask(join_group, join_request(node, 8, group_instance_id="i"))

    assert (back.skip_assignment, back.leader) == (True, back.member_id)
    assert again.leader == back.member_id != again.member_id


def test_who_goes_away_while_parked_leaves_its_member_and_nothing_else() -> None:
    """The member counts as joined, but neither request nor connection is kept alive."""
    node = GroupNode()
    member_id = stable_member(node)
    waiting = join_request(node)
    ask(join_group, waiting)
    assert waiting.on_disconnect is not None
    waiting.on_disconnect()
    kept: weakref.ref[GroupRequest] = weakref.ref(waiting)
    answers = waiting.answers
    del waiting
    gc.collect()

    assert kept() is None
    response = ask(join_group, join_request(node, member_id=member_id))
    assert len(response.members) == 2
    assert answers == []
