"""Commits, fetches and the end of offsets (Kafka's ``OffsetMetadataManager``).

A member commits under its generation or epoch, which proves that it still owns what it commits. A
consumer that assigns its partitions itself is in no generation (-1) and may commit to any group
that has no members; its first commit makes the group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from uuid import UUID

from broker.common.clock import Clock
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.groups.classic.group import ClassicGroup
from broker.groups.group import Committer
from broker.groups.group_states import AnyGroup, GroupStates
from broker.groups.offsets import OffsetAndMetadata, Offsets, tombstone
from broker.groups.records.serde import NO_TIMESTAMP
from protocol.errors import ErrorCode
from protocol.schema import ZERO_UUID

# OffsetCommit: "keep it as long as the broker keeps offsets".
DEFAULT_RETENTION_MS = -1

_GROUP_ID_NOT_FOUND_SINCE = 9
_MINUTE_MS = 60_000
_INT64_SIGN = 1 << 63

RescheduleHeartbeat = Callable[[ClassicGroup, str], None]


class Commit(NamedTuple):
    """One partition's new offset."""

    partition: TopicPartition
    offset: int
    leader_epoch: int = -1
    metadata: str | None = None
    topic_id: UUID = ZERO_UUID


@dataclass(slots=True, kw_only=True)
class OffsetCommit:
    """A member, or a simple consumer, says how far it has read."""

    group_id: str
    generation_id_or_member_epoch: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    # v2 to v4 could ask for a retention of their own.
    retention_ms: int = DEFAULT_RETENTION_MS
    api_version: int = 9
    commits: Sequence[Commit]


class OffsetMetadataManager:
    """The offsets of all groups of a node. ``reschedule_heartbeat``: a commit is a sign of life."""

    def __init__(
        self,
        config: Config,
        clock: Clock,
        runtime: CoordinatorRuntime,
        states: GroupStates,
        reschedule_heartbeat: RescheduleHeartbeat,
    ) -> None:
        self._metadata_length_max = config.offset_metadata_max_bytes
        self._retention_ms = config.offsets_retention_minutes * _MINUTE_MS
        self._clock = clock
        self._runtime = runtime
        self._states = states
        self._reschedule_heartbeat = reschedule_heartbeat

    # ------------------------------------------------------------------------------- commit

    def commit(self, request: OffsetCommit) -> list[ErrorCode]:
        """Commit; returns an error for each commit, in order. Raises `ApiError` for all of them.

        The caller answers when that is replicated.
        """
        group = self._group_for(request)
        committer = Committer(
            generation_id_or_member_epoch=request.generation_id_or_member_epoch,
            member_id=request.member_id,
            group_instance_id=request.group_instance_id,
            api_version=request.api_version,
        )
        check = None if group is None else group.check_offset_commit(committer)
        if isinstance(group, ClassicGroup):
            self._reschedule_heartbeat(group, request.member_id)
        errors = [ErrorCode.NONE] * len(request.commits)
        offsets: dict[TopicPartition, OffsetAndMetadata] = {}
        for index, commit in enumerate(request.commits):
            error = check(commit.topic_id, commit.partition.partition) if check else errors[index]
            if not error and commit.metadata is not None and self._is_too_long(commit.metadata):
                error = ErrorCode.OFFSET_METADATA_TOO_LARGE
            errors[index] = error
            if not error:
                offsets[commit.partition] = self._offset(commit, request.retention_ms)
        self._change(request.group_id, offsets)
        return errors

    def _group_for(self, request: OffsetCommit) -> AnyGroup | None:
        """The group that is committed to; None: a simple consumer is about to make it."""
        self._runtime.check(request.group_id)
        group = self._states.groups.get(request.group_id)
        if group is not None or request.generation_id_or_member_epoch < 0:
            return group
        if request.api_version >= _GROUP_ID_NOT_FOUND_SINCE:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND)
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)

    def _offset(self, commit: Commit, retention_ms: int) -> OffsetAndMetadata:
        now_ms = self._clock.wall_ms()
        return OffsetAndMetadata(
            commit.offset,
            commit.leader_epoch,
            commit.metadata or "",
            now_ms,
            _expire_timestamp_ms(now_ms, retention_ms),
            commit.topic_id,
        )

    def _is_too_long(self, metadata: str) -> bool:
        """Kafka counts the characters of a Java string, which are UTF-16 units."""
        if len(metadata) > self._metadata_length_max:
            return True
        if metadata.isascii() or len(metadata) * 2 <= self._metadata_length_max:
            return False
        return len(metadata.encode("utf-16-le")) // 2 > self._metadata_length_max

    # -------------------------------------------------------------------------------- fetch

    def fetch(self, group_id: str, member_id: str | None = None, member_epoch: int = -1) -> Offsets:
        """All that a group has committed for good; nothing for a group that does not exist.

        Raises `ApiError` if the group is not here, or does not tell this member.
        """
        self._runtime.check(group_id)
        group = self._states.groups.get(group_id)
        if group is None:
            return {}
        group.check_offset_fetch(member_id, member_epoch)
        return self._states.offsets.replicated(group_id)

    # ----------------------------------------------------------------------------- deletion

    def delete(
        self, group_id: str, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, ErrorCode]:
        """Forget offsets, each with its own error; raises `ApiError` for all of them.

        The caller answers when that is replicated.
        """
        self._runtime.check(group_id)
        group = self._states.groups.get(group_id)
        if group is None:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND)
        group.check_offset_deletion()
        written = self._states.offsets.written(group_id)
        errors, gone = {}, []
        for partition in partitions:
            errors[partition] = ErrorCode.NONE
            if group.is_subscribed_to(partition.topic):
                errors[partition] = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
            elif partition in written:
                gone.append(partition)
        self._change(group_id, dict.fromkeys(gone))
        return errors

    def on_topics_deleted(self, topics: Sequence[str]) -> None:
        """Forget what was committed for topics that are gone."""
        for group_id in list(self._states.groups):
            written = self._states.offsets.written(group_id)
            gone = [each for each in written if each.topic in topics]
            if gone:
                self._forget(group_id, gone)

    def expire(self, group_id: str) -> bool:
        """Forget what has been kept long enough; whether nothing is left."""
        group = self._states.groups[group_id]
        written = self._states.offsets.written(group_id)
        old = [
            partition
            for partition, offset in written.items()
            if not group.is_subscribed_to(partition.topic) and self._is_old(group, offset)
        ]
        if old:
            self._forget(group_id, old)
        return not self._states.offsets.written(group_id)

    def _is_old(self, group: AnyGroup, offset: OffsetAndMetadata) -> bool:
        since_ms = group.expires_since_ms(offset)
        if since_ms is None:
            return False
        if offset.expire_timestamp_ms is not None:
            return self._clock.wall_ms() >= offset.expire_timestamp_ms
        return self._clock.wall_ms() - since_ms >= self._retention_ms

    def _forget(self, group_id: str, partitions: Iterable[TopicPartition]) -> None:
        """Nobody waits for this; what cannot be written now is found again the next time."""
        try:
            self._change(group_id, dict.fromkeys(partitions))
        except ApiError:
            return

    # ------------------------------------------------------------------------------- writing

    def tombstones(self, group_id: str) -> list[CoordinatorRecord]:
        """The records that forget all a group has committed."""
        return [tombstone(group_id, each) for each in self._states.offsets.written(group_id)]

    def _change(
        self, group_id: str, changes: Mapping[TopicPartition, OffsetAndMetadata | None]
    ) -> None:
        """Write offsets down, and let them count when they are replicated."""
        if not changes:
            return
        records = [
            tombstone(group_id, partition)
            if offset is None
            else offset.to_record(group_id, partition)
            for partition, offset in changes.items()
        ]
        self._runtime.append(group_id, records)
        self._states.put_offsets(group_id, changes, self._clock.wall_ms())
        replicate = partial(self._states.offsets.replicate, group_id, changes)
        self._runtime.once_replicated(group_id, replicate)


def _expire_timestamp_ms(now_ms: int, retention_ms: int) -> int | None:
    """When an offset with a retention of its own expires; None: when the broker's retention ends.

    A sum beyond 64 bits wraps around as Java's does: a retention of 2^63 - 1 ms expires at once.
    """
    if retention_ms == DEFAULT_RETENTION_MS:
        return None
    wrapped = (now_ms + retention_ms + _INT64_SIGN) % (2 * _INT64_SIGN) - _INT64_SIGN
    return None if wrapped == NO_TIMESTAMP else wrapped
