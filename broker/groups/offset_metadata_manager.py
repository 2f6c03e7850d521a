"""Commits and fetches of offsets (Kafka's ``OffsetMetadataManager``).

A member commits under its generation, which proves that it still owns what it commits. A consumer
that assigns its partitions itself is in no generation (-1) and may commit to any group that has no
members; its first commit makes the group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from broker.clock import Clock
from broker.config import Config
from broker.errors import ApiError
from broker.groups.classic_group import ClassicGroup
from broker.groups.group_state import (
    COMPLETING_REBALANCE,
    DEAD,
    EMPTY,
    PREPARING_REBALANCE,
    STABLE,
)
from broker.groups.offset_store import OffsetAndMetadata, OffsetStore
from broker.groups.store_errors import as_coordinator_error
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode

if TYPE_CHECKING:
    from broker.groups.coordinator import GroupCoordinator

# OffsetCommit: "keep it as long as the broker keeps offsets".
DEFAULT_RETENTION_MS = -1

CommitCallback = Callable[[Sequence[ErrorCode]], None]


class Commit(NamedTuple):
    """One partition's new offset."""

    partition: TopicPartition
    offset: int
    leader_epoch: int = -1
    metadata: str | None = None


@dataclass(slots=True, kw_only=True)
class OffsetCommit:
    """A member, or a simple consumer, says how far it has read."""

    group_id: str
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    # v2 to v4 could ask for a retention of their own.
    retention_ms: int = DEFAULT_RETENTION_MS
    # v9+ knows the error GROUP_ID_NOT_FOUND.
    knows_group_id_not_found: bool = False
    commits: Sequence[Commit]


class OffsetMetadataManager:
    """The offsets of all groups of a node."""

    def __init__(
        self, config: Config, clock: Clock, coordinator: GroupCoordinator, store: OffsetStore
    ) -> None:
        self._metadata_length_max = config.offset_metadata_max_bytes
        self._clock = clock
        self._coordinator = coordinator
        self._store = store

    def commit(self, request: OffsetCommit, on_response: CommitCallback) -> None:
        """Commit; *on_response* gets an error for each commit, in order, when they are stored."""
        try:
            group = self._group_for(request)
            _check_commit(group, request)
        except ApiError as error:
            on_response([error.code] * len(request.commits))
            return
        if group.state is STABLE or group.state is PREPARING_REBALANCE:
            self._coordinator.heard_of(group, request.member_id)
        errors = [ErrorCode.NONE] * len(request.commits)
        offsets: dict[TopicPartition, OffsetAndMetadata] = {}
        now_ms = self._clock.wall_ms()
        own = request.retention_ms != DEFAULT_RETENTION_MS
        expires_ms = now_ms + request.retention_ms if own else None
        for index, (partition, offset, leader_epoch, metadata) in enumerate(request.commits):
            if metadata is not None and self._is_too_long(metadata):
                errors[index] = ErrorCode.OFFSET_METADATA_TOO_LARGE
            else:
                offsets[partition] = OffsetAndMetadata(
                    offset, leader_epoch, metadata or "", now_ms, expires_ms
                )

        def on_stored(error: ErrorCode) -> None:
            failed = [as_coordinator_error(error)] * len(errors)
            on_response(failed if error else errors)

        if offsets:
            self._store.append_offsets(request.group_id, offsets, on_stored)
        else:
            on_response(errors)

    def fetch(self, group_id: str) -> Mapping[TopicPartition, OffsetAndMetadata]:
        """All that a group has committed; nothing for a group that does not exist."""
        group = self._coordinator.groups.get(group_id)
        if group is None or group.state is DEAD:
            return {}
        return self._store.offsets(group_id)

    def on_topics_deleted(self, topics: Sequence[str]) -> None:
        """Forget what was committed for topics that are gone."""
        self._store.remove_topics(topics)

    def _group_for(self, request: OffsetCommit) -> ClassicGroup:
        """The group that is committed to; a simple consumer's is made if need be."""
        group = self._coordinator.groups.get(request.group_id)
        if group is not None:
            return group
        if request.generation_id < 0:
            return self._coordinator.create_group(request.group_id)
        raise ApiError(
            ErrorCode.GROUP_ID_NOT_FOUND
            if request.knows_group_id_not_found
            else ErrorCode.ILLEGAL_GENERATION
        )

    def _is_too_long(self, metadata: str) -> bool:
        """Kafka counts the characters of a Java string, which are UTF-16 units."""
        if len(metadata) > self._metadata_length_max:
            return True
        if metadata.isascii() or len(metadata) * 2 <= self._metadata_length_max:
            return False
        return len(metadata.encode("utf-16-le")) // 2 > self._metadata_length_max


def _check_commit(group: ClassicGroup, request: OffsetCommit) -> None:
    """Whether the group takes this commit; raises `ApiError` otherwise."""
    if group.state is DEAD:
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    if request.generation_id < 0 and group.state is EMPTY:
        return
    claims = (
        request.generation_id >= 0
        or bool(request.member_id)
        or request.group_instance_id is not None
    )
    if claims:
        group.check_member(request.member_id, request.group_instance_id)
        if request.generation_id != group.generation_id:
            raise ApiError(ErrorCode.ILLEGAL_GENERATION)
    elif group.state is not EMPTY:
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
    if group.state is COMPLETING_REBALANCE:
        # The generation is right, but what it will own is not known yet.
        raise ApiError(ErrorCode.REBALANCE_IN_PROGRESS)
