"""SyncGroup, as a client sees it."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.handlers.join_group import join_group
from broker.api.handlers.sync_group import sync_group
from protocol.errors import ErrorCode
from tests.broker.api.handlers.group_request import GroupNode, ask
from tests.broker.api.handlers.membership import join_request, stable_member, sync_request

PROTOCOL = {"protocol_type": "consumer", "protocol_name": "p"}


@pytest.mark.parametrize("version", range(6))
def test_the_leader_gets_what_it_brings_at_every_version(version: int) -> None:
    """From v5 on with type and name of the protocol (KIP-559)."""
    node = GroupNode()
    member_id = ask(join_group, join_request(node)).member_id
    named = PROTOCOL if version >= 5 else {}
    request = sync_request(
        node, version, member_id=member_id, assignments={member_id: b"part"}, **named
    )
    response = ask(sync_group, request)

    assert (response.error_code, bytes(response.assignment)) == (ErrorCode.NONE, b"part")
    if version >= 5:
        assert (response.protocol_type, response.protocol_name) == ("consumer", "p")


@pytest.mark.parametrize("missing", PROTOCOL)
def test_v5_must_name_type_and_protocol(missing: str) -> None:
    """Before anything else is looked at."""
    named: dict[str, Any] = PROTOCOL | {missing: None}
    response = ask(sync_group, sync_request(GroupNode(), 5, member_id="m", group_id="", **named))

    assert response.error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def test_a_follower_is_parked_until_the_leader_comes() -> None:
    """Both are answered with their own part."""
    node = GroupNode()
    leader = stable_member(node)
    joining = join_request(node)
    ask(join_group, joining)
    ask(join_group, join_request(node, member_id=leader))
    follower = joining.answers[0].member_id
    waiting = sync_request(node, member_id=follower, generation_id=2)
    assert ask(sync_group, waiting) is None

    parts = {leader: b"one", follower: b"two"}
    ask(sync_group, sync_request(node, member_id=leader, generation_id=2, assignments=parts))

    assert [bytes(each.assignment) for each in waiting.answers] == [b"two"]


def test_nobody_is_answered_who_has_gone_away() -> None:
    """The member keeps its part, and can ask again."""
    node = GroupNode()
    leader = stable_member(node)
    joining = join_request(node)
    ask(join_group, joining)
    ask(join_group, join_request(node, member_id=leader))
    follower = joining.answers[0].member_id
    waiting = sync_request(node, member_id=follower, generation_id=2)
    ask(sync_group, waiting)
    assert waiting.on_disconnect is not None
    waiting.on_disconnect()

    parts = {follower: b"two"}
    ask(sync_group, sync_request(node, member_id=leader, generation_id=2, assignments=parts))

    assert waiting.answers == []
    again = ask(sync_group, sync_request(node, member_id=follower, generation_id=2))
    assert bytes(again.assignment) == b"two"
