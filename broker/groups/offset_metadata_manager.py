"""Commit, fetch, deletion and expiry of offsets (Kafka's ``OffsetMetadataManager``).

A member commits with its generation or epoch, so a commit for partitions that it has lost is
refused. A simple consumer, which assigns its partitions itself, commits with generation -1 to any
group without members; its first commit creates the group, even if all its offsets are refused.

An offset that is committed in a transaction is pending until the marker of the transaction. It is
not fetched, and its partition is unstable until then; neither the committed offset of the partition
nor the group expires.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple
from uuid import UUID

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_log import TransactionalProducer
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.coordinators.prepared_records import PreparedRecords
from broker.groups.classic.group import ClassicGroup
from broker.groups.group import CommitCheck, Committer
from broker.groups.group_parts import GroupParts
from broker.groups.group_states import AnyGroup
from broker.groups.offset_and_metadata import Changes, OffsetAndMetadata, Offsets, tombstone
from broker.groups.records.serde import NO_TIMESTAMP
from broker.steps.pieces import pieces
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.record_batch.header import NO_PRODUCER_ID
from protocol.schema import ZERO_UUID

# In OffsetCommit: the retention is offsets.retention.minutes of the broker.
DEFAULT_RETENTION_MS: Final = -1

_GROUP_ID_NOT_FOUND_SINCE: Final = 9
_MINUTE_MS: Final = 60_000
_INT64_SIGN: Final = 1 << 63

RescheduleHeartbeat = Callable[[ClassicGroup, str], None]


@dataclass(slots=True)
class Commit:
    """The offset to commit for a partition."""

    partition: TopicPartition
    offset: int
    leader_epoch: int = -1
    metadata: str | None = None
    topic_id: UUID = ZERO_UUID


@dataclass(slots=True, kw_only=True)
class OffsetCommit:
    """An OffsetCommit of a member or of a simple consumer.

    With a ``producer`` it is a TxnOffsetCommit, in the producer's transaction.
    """

    group_id: str
    generation_id_or_member_epoch: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    # Versions 2 to 4 contain a retention.
    retention_ms: int = DEFAULT_RETENTION_MS
    api_version: int = 9
    producer: TransactionalProducer | None = None
    commits: Sequence[Commit]


class PreparedCommit:
    """The offsets of an OffsetCommit with their records, and an error for each commit."""

    __slots__ = ("errors", "offsets", "records")

    def __init__(self, records: PreparedRecords) -> None:
        self.errors: list[ErrorCode] = []
        self.offsets: dict[TopicPartition, OffsetAndMetadata] = {}
        self.records = records

    def check(self, commits: Iterable[Commit], check: CommitCheck) -> None:
        """Raise `ApiError` unless *check* allows each commit that has no error."""
        for commit, error in zip(commits, self.errors, strict=True):
            if not error:
                check(commit.partition.topic, commit.topic_id, commit.partition.partition)


class PreparedTombstones(NamedTuple):
    """The records that delete the offsets of some partitions."""

    records: PreparedRecords
    partitions: Collection[TopicPartition]


class OffsetMetadataManager:
    """The offsets of the groups of a node.

    *reschedule_heartbeat* is called for each commit of a classic member: it restarts the session.
    """

    def __init__(self, parts: GroupParts, reschedule_heartbeat: RescheduleHeartbeat) -> None:
        self._metadata_length_max = parts.config.offset_metadata_max_bytes
        self._retention_ms = parts.config.offsets_retention_minutes * _MINUTE_MS
        self._clock = parts.clock
        self._runtime = parts.runtime
        self._states = parts.states
        self._reschedule_heartbeat = reschedule_heartbeat

    # ------------------------------------------------------------------------------- commit

    def commit(
        self, request: OffsetCommit, prepared: PreparedCommit | None = None
    ) -> list[ErrorCode]:
        """Append offsets; returns an error for each commit. Raises `ApiError` for all of them.

        *prepared* is what `prepare` has returned for the request. The caller sends the response
        when the records are replicated.
        """
        group = self._group_for(request)
        committer = Committer(
            generation_id_or_member_epoch=request.generation_id_or_member_epoch,
            member_id=request.member_id,
            group_instance_id=request.group_instance_id,
            api_version=request.api_version,
            is_transactional=request.producer is not None,
        )
        check = None if group is None else group.check_offset_commit(committer)
        if isinstance(group, ClassicGroup) and request.producer is None:
            self._reschedule_heartbeat(group, request.member_id)
        if prepared is None:
            prepared = self._begin(request)
            self._add(prepared, request, request.commits)
            prepared.records.add(_records(request.group_id, prepared.offsets))
        if check is not None:
            prepared.check(request.commits, check)
        self._append(request.group_id, prepared.offsets, prepared.records, request.producer)
        self._states.create_simple(request.group_id, self._clock.wall_ms())
        return prepared.errors

    def prepare(self, request: OffsetCommit) -> Slices[PreparedCommit]:
        """Encode the records of a large commit, which no state of the group changes."""
        prepared = self._begin(request)
        for piece in pieces(request.commits):
            self._add(prepared, request, piece)
            yield None
        yield from prepared.records.add_in_slices(_records(request.group_id, prepared.offsets))
        return prepared

    def _begin(self, request: OffsetCommit) -> PreparedCommit:
        return PreparedCommit(self._runtime.prepare(request.group_id))

    def _add(
        self, prepared: PreparedCommit, request: OffsetCommit, commits: Iterable[Commit]
    ) -> None:
        """Add the offsets of some commits, in their order."""
        errors, offsets = prepared.errors, prepared.offsets
        now_ms = self._clock.wall_ms()
        for commit in commits:
            if commit.metadata is not None and self._is_too_long(commit.metadata):
                errors.append(ErrorCode.OFFSET_METADATA_TOO_LARGE)
            else:
                errors.append(ErrorCode.NONE)
                offsets[commit.partition] = _offset(commit, request, now_ms)

    def _group_for(self, request: OffsetCommit) -> AnyGroup | None:
        """The group of a commit; None if the commit of a simple consumer creates it."""
        self._runtime.check(request.group_id)
        group = self._states.groups.get(request.group_id)
        if group is not None or request.generation_id_or_member_epoch < 0:
            return group
        if request.producer is None and request.api_version >= _GROUP_ID_NOT_FOUND_SINCE:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND)
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)

    def _is_too_long(self, metadata: str) -> bool:
        """Whether *metadata* exceeds the limit in UTF-16 units, the characters of Java strings."""
        if len(metadata) > self._metadata_length_max:
            return True
        if metadata.isascii() or len(metadata) * 2 <= self._metadata_length_max:
            return False
        return len(metadata.encode("utf-16-le")) // 2 > self._metadata_length_max

    # -------------------------------------------------------------------------------- fetch

    def fetch(self, group_id: str, member_id: str | None = None, member_epoch: int = -1) -> Offsets:
        """Return the replicated offsets of a group; none if the group does not exist.

        Raises `ApiError` if another node coordinates the group or the member is wrong.
        """
        self._runtime.check(group_id)
        group = self._states.groups.get(group_id)
        if group is None:
            return {}
        group.check_offset_fetch(member_id, member_epoch)
        return self._states.offsets.replicated.committed(group_id)

    def unstable(self, group_id: str) -> AbstractSet[TopicPartition]:
        """The partitions for which the group has a replicated offset in an open transaction."""
        return self._states.offsets.replicated.pending(group_id)

    # ----------------------------------------------------------------------------- deletion

    def delete(
        self,
        group_id: str,
        partitions: Iterable[TopicPartition],
        prepared: PreparedTombstones | None = None,
    ) -> dict[TopicPartition, ErrorCode]:
        """Delete offsets; returns an error for each partition. Raises `ApiError` for all of them.

        *prepared* is what `prepare_deletion` has returned, which is encoded again if the group has
        changed. The caller sends the response when the tombstones are replicated.
        """
        errors, deleted = self._to_delete(group_id, partitions)
        if prepared is None or prepared.partitions != deleted:
            self._change(group_id, dict.fromkeys(deleted))
        else:
            self._append(group_id, dict.fromkeys(deleted), prepared.records, None)
        return errors

    def prepare_deletion(
        self, group_id: str, partitions: Iterable[TopicPartition]
    ) -> Slices[PreparedTombstones]:
        """Encode the tombstones of many offsets that are to be deleted; raises `ApiError`."""
        _, deleted = self._to_delete(group_id, partitions)
        yield None
        records = self._runtime.prepare(group_id)
        yield from records.add_in_slices(tombstone(group_id, each) for each in deleted)
        return PreparedTombstones(records, deleted)

    def _to_delete(
        self, group_id: str, partitions: Iterable[TopicPartition]
    ) -> tuple[dict[TopicPartition, ErrorCode], list[TopicPartition]]:
        """An error for each partition, and those that have an offset; raises `ApiError`."""
        self._runtime.check(group_id)
        group = self._states.groups.get(group_id)
        if group is None:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND)
        group.check_offset_deletion()
        written = self._states.offsets.written
        committed, pending = written.committed(group_id), written.pending(group_id)
        subscribed: dict[str, bool] = {}
        errors: dict[TopicPartition, ErrorCode] = {}
        deleted: dict[TopicPartition, None] = {}
        for partition in partitions:
            topic = partition.topic
            if topic not in subscribed:
                subscribed[topic] = group.is_subscribed_to(topic)
            errors[partition] = ErrorCode.NONE
            if subscribed[topic]:
                errors[partition] = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
            elif partition in committed or partition in pending:
                deleted[partition] = None
        return errors, list(deleted)

    def on_topic_deleted(self, topic: str) -> Slices[None]:
        """Delete the offsets of a deleted topic, in pieces that each fit into a batch."""
        for group_id in list(self._states.offsets.written.groups_with(topic)):
            for piece in pieces(self._partitions(group_id)):
                self._delete_offsets(group_id, [each for each in piece if each.topic == topic])
                yield None

    def expire(self, group_id: str) -> Slices[bool]:
        """Delete the expired offsets of a group; returns whether no offset is left.

        It deletes them in pieces that each fit into a batch, and ends if the group is removed.
        """
        written = self._states.offsets.written
        for piece in pieces(list(written.committed(group_id))):
            group = self._states.groups.get(group_id)
            if group is None:
                return False
            self._delete_offsets(group_id, self._expired(group, piece))
            yield None
        return not (written.committed(group_id) or written.pending(group_id))

    def _expired(
        self, group: AnyGroup, partitions: Iterable[TopicPartition]
    ) -> list[TopicPartition]:
        written = self._states.offsets.written
        committed, pending = written.committed(group.group_id), written.pending(group.group_id)
        return [
            partition
            for partition in partitions
            if (offset := committed.get(partition)) is not None
            and partition not in pending
            and not group.is_subscribed_to(partition.topic)
            and self._is_expired(group, offset)
        ]

    def _is_expired(self, group: AnyGroup, offset: OffsetAndMetadata) -> bool:
        since_ms = group.retention_base_ms(offset)
        if since_ms is None:
            return False
        if offset.expire_timestamp_ms is not None:
            return self._clock.wall_ms() >= offset.expire_timestamp_ms
        return self._clock.wall_ms() - since_ms >= self._retention_ms

    def _delete_offsets(self, group_id: str, partitions: Iterable[TopicPartition]) -> None:
        """Delete offsets, unless the log refuses; then a later call finds them again."""
        with suppress(ApiError):
            self._change(group_id, dict.fromkeys(partitions))

    # ------------------------------------------------------------------------------- writing

    def tombstones(
        self, group_id: str, prepared: PreparedTombstones | None = None
    ) -> PreparedRecords:
        """The records that delete all offsets of a group, pending ones included.

        Only those of offsets that were committed after *prepared* are encoded now.
        """
        if prepared is None:
            prepared = PreparedTombstones(self._runtime.prepare(group_id), ())
        new = (each for each in self._partitions(group_id) if each not in prepared.partitions)
        prepared.records.add(tombstone(group_id, each) for each in new)
        return prepared.records

    def prepare_tombstones(self, group_id: str) -> Slices[PreparedTombstones]:
        """Encode the tombstones of the present offsets of a group.

        That of an offset that another request deletes meanwhile has no effect.
        """
        partitions = self._partitions(group_id)
        records = self._runtime.prepare(group_id)
        yield from records.add_in_slices(tombstone(group_id, each) for each in partitions)
        return PreparedTombstones(records, partitions)

    def _partitions(self, group_id: str) -> Collection[TopicPartition]:
        """The partitions for which a group has a committed or a pending offset."""
        written = self._states.offsets.written
        return {**written.committed(group_id), **dict.fromkeys(written.pending(group_id))}

    def _change(self, group_id: str, changes: Changes) -> None:
        """Append and apply changes."""
        records = self._runtime.prepare(group_id)
        records.add(_records(group_id, changes))
        self._append(group_id, changes, records, None)

    def _append(
        self,
        group_id: str,
        changes: Changes,
        records: PreparedRecords,
        producer: TransactionalProducer | None,
    ) -> None:
        """Append the records of *changes* and apply them. Readers see them when replicated."""
        if not changes:
            return
        record_offset = self._runtime.append(group_id, records, producer)
        for offset in changes.values():
            if offset is not None:
                offset.record_offset = record_offset
            record_offset += 1
        producer_id = NO_PRODUCER_ID if producer is None else producer.producer_id
        self._states.put_offsets(group_id, changes, self._clock.wall_ms(), producer_id)
        replicate = partial(self._states.offsets.replicated.change, group_id, changes, producer_id)
        self._runtime.once_replicated(group_id, replicate)


def _offset(commit: Commit, request: OffsetCommit, now_ms: int) -> OffsetAndMetadata:
    return OffsetAndMetadata(
        commit.offset,
        commit.leader_epoch,
        commit.metadata or "",
        now_ms,
        _expire_timestamp_ms(now_ms, request.retention_ms),
        # Kafka writes no topic id for a TxnOffsetCommit, which contains none.
        commit.topic_id if request.producer is None else ZERO_UUID,
    )


def _records(group_id: str, changes: Changes) -> Iterator[CoordinatorRecord]:
    for partition, offset in changes.items():
        if offset is None:
            yield tombstone(group_id, partition)
        else:
            yield offset.to_record(group_id, partition)


def _expire_timestamp_ms(now_ms: int, retention_ms: int) -> int | None:
    """The time at which an offset with its own retention expires; None for the broker's retention.

    The sum wraps around at 64 bits as in Java: an offset with a retention of 2^63 - 1 ms expires
    immediately.
    """
    if retention_ms == DEFAULT_RETENTION_MS:
        return None
    wrapped = (now_ms + retention_ms + _INT64_SIGN) % (2 * _INT64_SIGN) - _INT64_SIGN
    return None if wrapped == NO_TIMESTAMP else wrapped
