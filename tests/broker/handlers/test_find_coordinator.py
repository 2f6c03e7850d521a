"""FindCoordinator, as a client sees it."""

from __future__ import annotations

import pytest

from broker.handlers.find_coordinator import find_coordinator
from protocol.errors import ErrorCode
from protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.broker.handlers.group_request import GroupNode, GroupRequest, ask


@pytest.mark.parametrize("version", range(4))
@pytest.mark.parametrize("key_type", [0, 1])
def test_the_node_asked_is_the_coordinator(version: int, key_type: int) -> None:
    """Of every group, and of every transactional id, which v0 cannot ask for."""
    body = FindCoordinatorRequest(key="g", key_type=key_type if version else 0)
    response = ask(find_coordinator, GroupRequest(GroupNode(), body, version))

    assert (response.node_id, response.host, response.port) == (7, "broker.example", 9092)
    assert response.error_code == ErrorCode.NONE
    if version:
        assert response.error_message == "NONE"


@pytest.mark.parametrize("version", range(4, 7))
def test_many_coordinators_are_found_at_once(version: int) -> None:
    """One answer for each key, in their order, doubles and empty ones included."""
    body = FindCoordinatorRequest(coordinator_keys=["g", "", "g"])
    response = ask(find_coordinator, GroupRequest(GroupNode(), body, version))

    assert [(each.key, each.node_id) for each in response.coordinators] == [
        ("g", 7),
        ("", 7),
        ("g", 7),
    ]
    assert {each.error_code for each in response.coordinators} == {ErrorCode.NONE}


@pytest.mark.parametrize("key_type", [2, 5, -1])
def test_other_keys_have_no_coordinator(key_type: int) -> None:
    """Share partitions, and types nobody knows."""
    node = GroupNode()
    old = FindCoordinatorRequest(key="g", key_type=key_type)
    new = FindCoordinatorRequest(coordinator_keys=["g"], key_type=key_type)

    response = ask(find_coordinator, GroupRequest(node, old, 3))
    assert (response.error_code, response.node_id, response.host, response.port) == (
        ErrorCode.INVALID_REQUEST,
        -1,
        "",
        -1,
    )
    (coordinator,) = ask(find_coordinator, GroupRequest(node, new, 6)).coordinators
    assert (coordinator.error_code, coordinator.node_id) == (ErrorCode.INVALID_REQUEST, -1)
