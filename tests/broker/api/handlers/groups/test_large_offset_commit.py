"""OffsetCommit of many partitions: its records are encoded in slices, and then appended at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from broker.api.handlers.groups.offset_commit import offset_commit
from broker.steps.queue import Slices, finish
from protocol.errors import ErrorCode
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices
from tests.broker.groups.script import ScriptPlayer

PARTITIONS = 640


def large_commit(node: GroupServices, metadata: str = "") -> Slices[OffsetCommitResponse]:
    """The work of a simple consumer's commit of many partitions."""
    node.world.put_topic("many", PARTITIONS, UUID(int=3))
    partitions = [
        OffsetCommitRequestPartition(
            partition_index=each, committed_offset=each, committed_metadata=metadata
        )
        for each in range(PARTITIONS)
    ]
    topics = [OffsetCommitRequestTopic(name="many", partitions=partitions)]
    body = OffsetCommitRequest(group_id="g", member_id="", topics=topics)
    handler: Callable[..., Any] = offset_commit
    slices: Slices[OffsetCommitResponse] = handler(GroupRequest(node, body, 9).request)
    return slices


def errors(response: OffsetCommitResponse) -> set[int]:
    """The errors of all partitions."""
    return {each.error_code for topic in response.topics for each in topic.partitions}


def test_many_offsets_are_committed_in_one_batch() -> None:
    """Its records are encoded in pieces, between which other tasks may run."""
    node = GroupServices()
    slices = large_commit(node)
    for _ in range(PARTITIONS // 16 + PARTITIONS // 32):
        next(slices)
    assert node.groups.groups == {}

    assert errors(finish(slices)) == {ErrorCode.NONE}
    assert len(node.groups.offsets.fetch("g")) == PARTITIONS
    assert sum(log.batches for log in node.world.logs) == 1


def _enter(node: GroupServices) -> None:
    ScriptPlayer(node.world).play(["enter a"])


def _resign(node: GroupServices) -> None:
    runtime = node.groups.runtime
    runtime.on_resignation(runtime.partition_for("g"))


@pytest.mark.parametrize(
    ("change", "error"),
    [(_enter, ErrorCode.UNKNOWN_MEMBER_ID), (_resign, ErrorCode.NOT_COORDINATOR)],
)
def test_the_group_is_checked_when_the_records_are_encoded(
    change: Callable[[GroupServices], None], error: ErrorCode
) -> None:
    """A member may have joined since the request arrived, or the coordinator may have moved."""
    node = GroupServices()
    slices = large_commit(node)
    for _ in range(PARTITIONS // 16 + 3):
        next(slices)
    change(node)

    assert errors(finish(slices)) == {error}


def test_a_commit_beyond_the_maximum_batch_size_is_refused() -> None:
    """``max.message.bytes`` of ``__consumer_offsets``; no offset is committed."""
    node = GroupServices()
    response = finish(large_commit(node, "x" * 2000))

    assert errors(response) == {ErrorCode.UNKNOWN_SERVER_ERROR}
    assert (node.groups.groups, sum(log.batches for log in node.world.logs)) == ({}, 0)
