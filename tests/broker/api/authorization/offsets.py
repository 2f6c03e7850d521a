"""Requests that commit, fetch and delete the offsets of groups."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.schema import ZERO_UUID


def commit_of(
    group_id: str, *names: str, ids: Mapping[str, UUID] | None = None
) -> OffsetCommitRequest:
    """Commits offset 5 of partition 0, and of partition 9, which no topic has."""
    return OffsetCommitRequest(
        group_id=group_id,
        member_id="",
        topics=[
            OffsetCommitRequestTopic(
                name=name,
                topic_id=(ids or {}).get(name, ZERO_UUID),
                partitions=[
                    OffsetCommitRequestPartition(
                        partition_index=index, committed_offset=5, committed_metadata=""
                    )
                    for index in (0, 9)
                ],
            )
            for name in names
        ],
    )
