"""Heartbeat."""

from __future__ import annotations

import pytest

from broker.api.handlers.groups.heartbeat import heartbeat
from protocol.errors import ErrorCode
from protocol.messages.heartbeat import HeartbeatRequest
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call
from tests.broker.api.handlers.groups.membership import stable_member


@pytest.mark.parametrize("version", range(5))
def test_a_heartbeat_extends_the_session_in_every_version(version: int) -> None:
    """The session timeout begins again."""
    node = GroupServices()
    body = HeartbeatRequest(group_id="g", generation_id=1, member_id=stable_member(node))
    for _ in range(3):
        node.world.wait(9_000)
        assert call(heartbeat, GroupRequest(node, body, version)).error_code == ErrorCode.NONE


def test_an_unknown_member() -> None:
    """Also with an unknown instance id."""
    node = GroupServices()
    member_id = stable_member(node)
    body = HeartbeatRequest(
        group_id="g", generation_id=1, member_id=member_id, group_instance_id="i"
    )

    response = call(heartbeat, GroupRequest(node, body, 4))
    assert response.error_code == ErrorCode.UNKNOWN_MEMBER_ID
