"""DeleteGroups."""

from __future__ import annotations

import pytest

from broker.api.handlers.groups.delete_groups import delete_groups
from broker.common.topic_partition import TopicPartition
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from broker.steps.pieces import PIECE_ITEMS
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.delete_groups import DeleteGroupsRequest
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call
from tests.broker.groups.script import ScriptPlayer


def request(node: GroupServices, *names: str, version: int = 2) -> GroupRequest:
    """A request to delete these groups."""
    return GroupRequest(node, DeleteGroupsRequest(groups_names=list(names)), version)


def node_with_offsets(*names: str) -> GroupServices:
    """A node with groups that have committed offsets and have no members."""
    node = GroupServices()
    for name in names:
        commits = [Commit(TopicPartition("t", 0), 1)]
        node.groups.offsets.commit(OffsetCommit(group_id=name, commits=commits))
    return node


@pytest.mark.parametrize("version", range(3))
def test_an_empty_group_is_deleted_with_its_offsets(version: int) -> None:
    """Mirrors ``GroupCoordinatorShardTest.testDeleteGroups``."""
    node = node_with_offsets("h")
    (result,) = call(delete_groups, request(node, "h", version=version)).results

    assert (result.group_id, result.error_code) == ("h", ErrorCode.NONE)
    assert (node.groups.groups, node.groups.offsets.fetch("h")) == ({}, {})


def test_each_group_has_its_own_error() -> None:
    """A group that cannot be deleted does not affect the others."""
    node = node_with_offsets("h")
    ScriptPlayer(node.world).play(["enter a"])
    results = call(delete_groups, request(node, "g", "h", "absent")).results

    assert [(each.group_id, each.error_code) for each in results] == [
        ("g", ErrorCode.NON_EMPTY_GROUP),
        ("h", ErrorCode.NONE),
        ("absent", ErrorCode.GROUP_ID_NOT_FOUND),
    ]


def test_a_consumer_group_with_members_stays() -> None:
    """Without members it is deleted, as is a classic group."""
    node = GroupServices()
    player = ScriptPlayer(node.world)
    player.play(["consume a t"])
    (refused,) = call(delete_groups, request(node, "g")).results
    player.play(["quit a"])
    (deleted,) = call(delete_groups, request(node, "g")).results

    assert refused.error_code == ErrorCode.NON_EMPTY_GROUP
    assert deleted.error_code == ErrorCode.NONE
    assert node.groups.groups == {}


def test_a_group_named_twice_is_deleted_once() -> None:
    """It is in the response once."""
    (result,) = call(delete_groups, request(node_with_offsets("h"), "h", "h")).results

    assert result.error_code == ErrorCode.NONE


def test_the_response_waits_until_the_deletion_is_replicated() -> None:
    """One response for all groups, though each has its own partition of the log."""
    node = node_with_offsets("h", "i")
    node.world.slow_down()
    waiting = request(node, "h", "absent", "i")
    assert call(delete_groups, waiting) is None

    node.world.replicate()

    (response,) = waiting.responses
    assert [each.error_code for each in response.results] == [
        ErrorCode.NONE,
        ErrorCode.GROUP_ID_NOT_FOUND,
        ErrorCode.NONE,
    ]


def test_a_deletion_that_is_not_replicated_in_time_is_an_error() -> None:
    """After ``offsets.commit.timeout.ms``; it may be replicated later."""
    node = node_with_offsets("h")
    node.world.slow_down()
    waiting = request(node, "h")
    call(delete_groups, waiting)
    node.world.wait(5000)

    (response,) = waiting.responses
    assert response.results[0].error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE


def _with_many_offsets(name: str) -> GroupServices:
    node = GroupServices()
    commits = [Commit(TopicPartition("t", each), 1) for each in range(20 * PIECE_ITEMS)]
    node.groups.offsets.commit(OffsetCommit(group_id=name, commits=commits))
    return node


def test_many_offsets_are_deleted_with_their_group_in_one_batch() -> None:
    """The tombstones are encoded in pieces, between which other tasks may run."""
    node = _with_many_offsets("h")
    slices = delete_groups(request(node, "h").request)
    for _ in range(20):
        next(slices)
    assert len(node.groups.offsets.fetch("h")) == 20 * PIECE_ITEMS

    finish(slices)

    assert (node.groups.groups, node.groups.offsets.fetch("h")) == ({}, {})
    assert sum(log.batches for log in node.world.logs) == 2


def test_offsets_that_are_committed_during_a_deletion_are_deleted_too() -> None:
    """The group has no offsets after a restart, either."""
    node = _with_many_offsets("h")
    slices = delete_groups(request(node, "h").request)
    for _ in range(20):
        next(slices)
    new = [Commit(TopicPartition("u", 0), 1)]
    node.groups.offsets.commit(OffsetCommit(group_id="h", commits=new))
    finish(slices)
    node.world.restart()

    assert node.world.coordinator.groups == {}


def test_a_group_with_a_member_since_the_request_is_not_deleted() -> None:
    """It is checked again when the tombstones are encoded."""
    node = _with_many_offsets("g")
    deletion = request(node, "g")
    slices = delete_groups(deletion.request)
    for _ in range(20):
        next(slices)
    ScriptPlayer(node.world).play(["enter a"])
    deletion.respond(finish(slices))

    (response,) = deletion.responses
    assert response.results[0].error_code == ErrorCode.NON_EMPTY_GROUP
    assert len(node.groups.offsets.fetch("g")) == 20 * PIECE_ITEMS
