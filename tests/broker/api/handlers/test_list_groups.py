"""ListGroups, as a client sees it; filters mirror ``GroupMetadataManagerTest.testListGroups``."""

from __future__ import annotations

import pytest

from broker.api.handlers.list_groups import list_groups
from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import RawRecord
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from protocol.errors import ErrorCode
from protocol.messages.list_groups import ListedGroup, ListGroupsRequest
from tests.broker.api.handlers.group_request import GroupNode, GroupRequest, ask
from tests.broker.groups.script import ScriptPlayer


@pytest.fixture
def node() -> GroupNode:
    """A node with a consumer group called g, and another that is nothing but offsets."""
    node = GroupNode()
    ScriptPlayer(node.world).play(["consume a t"])
    offsets = OffsetCommit(group_id="offsets", commits=[Commit(TopicPartition("t", 0), 1)])
    node.groups.offsets.commit(offsets)
    return node


def listed(node: GroupNode, states: tuple[str, ...] = (), types: tuple[str, ...] = ()) -> list[str]:
    """The names of the groups that pass the filters."""
    body = ListGroupsRequest(states_filter=list(states), types_filter=list(types))
    return [each.group_id for each in ask(list_groups, GroupRequest(node, body, 5)).groups]


@pytest.mark.parametrize("version", range(6))
def test_groups_of_every_kind_are_listed(node: GroupNode, version: int) -> None:
    """v4 tells the state, v5 the type."""
    consumer, offsets = ask(list_groups, GroupRequest(node, ListGroupsRequest(), version)).groups
    state = "Stable" if version >= 4 else ""
    empty = "Empty" if version >= 4 else ""
    types = ("consumer", "classic") if version >= 5 else ("", "")

    assert consumer == ListedGroup(
        group_id="g", protocol_type="consumer", group_state=state, group_type=types[0]
    )
    assert offsets == ListedGroup(
        group_id="offsets", protocol_type="", group_state=empty, group_type=types[1]
    )


@pytest.mark.parametrize(
    ("states", "found"),
    [
        (("Stable",), ["g"]),
        (("sTABLE", " empty "), ["g", "offsets"]),
        (("Dead",), []),
        (("Nonsense",), []),
        (("Nonsense", "Empty"), ["offsets"]),
    ],
)
def test_groups_in_some_states(node: GroupNode, states: tuple[str, ...], found: list[str]) -> None:
    """In any case; what is no state matches nothing (KIP-518)."""
    assert listed(node, states=states) == found


@pytest.mark.parametrize(
    ("types", "found"),
    [
        (("classic",), ["offsets"]),
        (("Consumer",), ["g"]),
        (("CLASSIC", "consumer"), ["g", "offsets"]),
        (("share",), []),
    ],
)
def test_groups_of_some_types(node: GroupNode, types: tuple[str, ...], found: list[str]) -> None:
    """In any case; types that the broker does not have match nothing (KIP-848)."""
    assert listed(node, types=types) == found


def test_both_filters_must_be_passed(node: GroupNode) -> None:
    """A state and a type that no group has together find nothing."""
    assert listed(node, states=("Empty",), types=("classic",)) == ["offsets"]
    assert listed(node, states=("Empty",), types=("consumer",)) == []


def test_nothing_is_listed_while_groups_are_being_loaded(node: GroupNode) -> None:
    """A response without some of the groups would look complete."""
    log = node.world.logs[0]
    log.read_max = 1
    log.records += [RawRecord(b"", None)] * 2
    node.groups.runtime.on_resignation(0)
    node.groups.runtime.on_election(0, log)
    response = ask(list_groups, GroupRequest(node, ListGroupsRequest(), 5))

    assert response.error_code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert response.groups == []
