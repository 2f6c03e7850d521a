"""ListGroups; filters mirror ``GroupMetadataManagerTest.testListGroups``."""

from __future__ import annotations

import pytest

from broker.api.handlers.groups.list_groups import list_groups
from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import RawRecord
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from protocol.errors import ErrorCode
from protocol.messages.list_groups import ListedGroup, ListGroupsRequest
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call
from tests.broker.groups.script import ScriptPlayer
from tests.short_slices import short_slices


@pytest.fixture
def node() -> GroupServices:
    """A node with a consumer group called g, and another group with offsets only."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["consume a t"])
    offsets = OffsetCommit(group_id="offsets", commits=[Commit(TopicPartition("t", 0), 1)])
    node.groups.offsets.commit(offsets)
    return node


def listed(
    node: GroupServices, states: tuple[str, ...] = (), types: tuple[str, ...] = ()
) -> list[str]:
    """The sorted ids of the groups that match the filters."""
    body = ListGroupsRequest(states_filter=list(states), types_filter=list(types))
    return sorted(each.group_id for each in call(list_groups, GroupRequest(node, body, 5)).groups)


@pytest.mark.parametrize("version", range(6))
def test_groups_of_every_kind_are_listed(node: GroupServices, version: int) -> None:
    """v4 adds the state, v5 the type."""
    groups = call(list_groups, GroupRequest(node, ListGroupsRequest(), version)).groups
    consumer, offsets = sorted(groups, key=lambda each: each.group_id)
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
def test_groups_in_some_states(
    node: GroupServices, states: tuple[str, ...], found: list[str]
) -> None:
    """In any case; an unknown state matches nothing (KIP-518)."""
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
def test_groups_of_some_types(
    node: GroupServices, types: tuple[str, ...], found: list[str]
) -> None:
    """In any case; an unknown type matches nothing (KIP-848)."""
    assert listed(node, types=types) == found


def test_both_filters_must_match(node: GroupServices) -> None:
    """No group has this combination of state and type."""
    assert listed(node, states=("Empty",), types=("classic",)) == ["offsets"]
    assert listed(node, states=("Empty",), types=("consumer",)) == []


def test_nothing_is_listed_while_groups_are_being_loaded(node: GroupServices) -> None:
    """An incomplete response would look complete."""
    log = node.world.logs[0]
    log.read_max = 1
    log.append([RawRecord(b"\x7f\x00", None)] * 2)
    short_slices(node.world.steps)
    node.groups.runtime.on_resignation(0)
    node.groups.runtime.on_election(0, log)
    response = call(list_groups, GroupRequest(node, ListGroupsRequest(), 5))

    assert response.error_code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert response.groups == []
