"""Heartbeat, as a client sees it."""

from __future__ import annotations

import pytest

from broker.api.handlers.heartbeat import heartbeat
from protocol.errors import ErrorCode
from protocol.messages.heartbeat import HeartbeatRequest
from tests.broker.api.handlers.group_request import GroupNode, GroupRequest, ask
from tests.broker.api.handlers.membership import stable_member


@pytest.mark.parametrize("version", range(5))
def test_a_member_lives_at_every_version(version: int) -> None:
    """Its session begins anew."""
    node = GroupNode()
    body = HeartbeatRequest(group_id="g", generation_id=1, member_id=stable_member(node))
    for _ in range(3):
        node.world.wait(9_000)
        assert ask(heartbeat, GroupRequest(node, body, version)).error_code == ErrorCode.NONE


def test_a_stranger_is_unknown() -> None:
    """Also under an instance id nobody has."""
    node = GroupNode()
    member_id = stable_member(node)
    body = HeartbeatRequest(
        group_id="g", generation_id=1, member_id=member_id, group_instance_id="i"
    )

    response = ask(heartbeat, GroupRequest(node, body, 4))
    assert response.error_code == ErrorCode.UNKNOWN_MEMBER_ID
