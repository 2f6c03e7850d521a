"""The groups and offsets that records of ``__consumer_offsets`` add up to.

Kafka's ``GroupCoordinatorShard.replay``. Consumer, share and streams groups apply appended records
by the same replay as loaded ones, so the state in memory is that of the log. A later record of a
key replaces an earlier one; compaction may leave the keys in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import (
    NO_OFFSET,
    CoordinatorRecord,
    InconsistentRecord,
    RawRecord,
)
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_metadata_record import restore_group
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.replay import replay
from broker.groups.group_offsets import OffsetTable
from broker.groups.offset_and_metadata import Changes, OffsetAndMetadata
from broker.groups.records.classic import GroupMetadataKey, GroupMetadataValue
from broker.groups.records.offsets import LegacyOffsetCommitKey, OffsetCommitKey
from broker.groups.records.serde import GROUP_RECORDS
from broker.groups.records.share import SHARE_GROUP_KEYS
from broker.groups.records.streams import STREAMS_GROUP_KEYS
from broker.groups.share.group import ShareGroup
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.replay import replay as replay_streams
from broker.steps.queue import Slices, finish
from protocol.record_batch.header import NO_PRODUCER_ID

AnyGroup = ClassicGroup | ConsumerGroup | ShareGroup | StreamsGroup

# A group that takes the place of a simple one.
Modern = TypeVar("Modern", ConsumerGroup, StreamsGroup)


def _only_partition(_group_id: str) -> int:
    return 0


class GroupStates:
    """Groups by id, and their committed offsets (a `CoordinatorPlayback`).

    *partition_for* returns the partition of a group if the groups are of several.
    """

    def __init__(self, partition_for: Callable[[str], int] = _only_partition) -> None:
        # Changed by the methods of this class only.
        self.groups: dict[str, AnyGroup] = {}
        self.offsets = OffsetTable()
        self.partition_for = partition_for
        # Invariant: the ids of the groups, in the order of their creation, by partition.
        self._ids: dict[int, dict[str, None]] = {}
        # The groups whose offsets loaded records have changed that are not replicated; None if all
        # records are.
        self.unreplicated: set[str] | None = None

    def load(self, raw: RawRecord, now_wall_ms: int) -> None:
        """Apply a record of the log; raises `Malformed` and `InconsistentRecord`.

        Records of unknown types are ignored, as in Kafka.
        """
        record = GROUP_RECORDS.deserialize(raw)
        if record is not None:
            if isinstance(record.key, OffsetCommitKey | LegacyOffsetCommitKey):
                self._keep_replicated(record.key.group)
            self.replay(record, now_wall_ms, raw.offset, raw.producer_id)

    def begin_unreplicated(self) -> None:
        """See `CoordinatorPlayback`: OffsetFetch does not return the offsets of later records."""
        self.unreplicated = set()

    def replay(
        self,
        record: CoordinatorRecord,
        now_wall_ms: int,
        record_offset: int = NO_OFFSET,
        producer_id: int = NO_PRODUCER_ID,
    ) -> None:
        """Apply a record; raises `InconsistentRecord`."""
        key, value = record.key, record.value
        if isinstance(key, OffsetCommitKey | LegacyOffsetCommitKey):
            offset = None if value is None else OffsetAndMetadata.from_record(value, record_offset)
            partition = TopicPartition(key.topic, key.partition)
            self.put_offsets(key.group, {partition: offset}, now_wall_ms, producer_id)
        elif isinstance(key, GroupMetadataKey):
            self._replay_generation(key.group, value, now_wall_ms)
        elif isinstance(key, SHARE_GROUP_KEYS):
            self._replay_share_group(record)
        elif isinstance(key, STREAMS_GROUP_KEYS):
            self._replay_streams_group(record)
        else:
            self._replay_consumer_group(record)

    def put_offsets(
        self,
        group_id: str,
        changes: Changes,
        now_wall_ms: int,
        producer_id: int = NO_PRODUCER_ID,
    ) -> None:
        """Apply written offsets; a group that does not exist is created without members.

        With a *producer_id* they are pending until its transaction ends.
        """
        if any(changes.values()):
            self.create_simple(group_id, now_wall_ms)
        self.offsets.written.change(group_id, changes, producer_id)

    def create_simple(self, group_id: str, now_wall_ms: int) -> None:
        """Create a group without members, and without a record, if there is no group."""
        if group_id not in self.groups:
            self.put(ClassicGroup(group_id, now_wall_ms))

    def put(self, group: AnyGroup) -> None:
        """Add a group, or replace the one with its id."""
        group_id = group.group_id
        if group_id not in self.groups:
            self._ids.setdefault(self.partition_for(group_id), {})[group_id] = None
        self.groups[group_id] = group

    def ids(self, partition: int) -> Collection[str]:
        """The ids of the groups of a partition."""
        return self._ids.get(partition, ())

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """Commit or abort the loaded offsets of *producer_id*."""
        written = self.offsets.written
        group_ids = list(written.groups_of(producer_id))
        for group_id in group_ids:
            self._keep_replicated(group_id)
        written.end_transaction(producer_id, group_ids, is_commit=is_commit)

    def remove(self, group_id: str) -> None:
        """Remove a group that is deleted or unloaded, and its offsets."""
        self._remove(group_id)
        self.offsets.remove(group_id)

    def adopt(self, group: AnyGroup, loaded: GroupStates) -> Slices[None]:
        """Add a group of *loaded* with its offsets, of which some may not be replicated yet."""
        group_id, offsets = group.group_id, loaded.offsets
        assert group_id not in self.groups
        self.put(group)
        yield from self.offsets.written.adopt(group_id, offsets.written)
        if loaded.unreplicated is not None:
            is_kept = group_id in loaded.unreplicated
            replicated = offsets.replicated if is_kept else offsets.written
            yield from self.offsets.replicated.adopt(group_id, replicated)

    def note_replicated(self, loaded: GroupStates) -> Slices[None]:
        """Note that all offsets of adopted groups are replicated."""
        changed = loaded.groups if loaded.unreplicated is None else loaded.unreplicated
        for group_id in changed:
            if group_id in loaded.groups:
                yield from self.offsets.replicated.become(group_id, loaded.offsets.written)
            yield None

    def _keep_replicated(self, group_id: str) -> None:
        """Keep the replicated offsets of a group before the first change by a later record."""
        if self.unreplicated is not None and group_id not in self.unreplicated:
            self.unreplicated.add(group_id)
            finish(self.offsets.replicated.adopt(group_id, self.offsets.written))

    def _remove(self, group_id: str) -> None:
        if self.groups.pop(group_id, None) is not None:
            partition = self.partition_for(group_id)
            ids = self._ids[partition]
            del ids[group_id]
            if not ids:
                del self._ids[partition]

    def _replay_generation(
        self, group_id: str, value: GroupMetadataValue | None, now_wall_ms: int
    ) -> None:
        self._remove(group_id)
        if value is not None:
            group = ClassicGroup(group_id, now_wall_ms)
            self.put(group)
            restore_group(group, value)

    def _replay_consumer_group(self, record: CoordinatorRecord) -> None:
        group = self._group_of(record, ConsumerGroup)
        if group is not None:
            replay(group, record)
            if group.is_deleted:
                self._remove(group.group_id)

    def _replay_share_group(self, record: CoordinatorRecord) -> None:
        group_id = record.key.group_id
        group = self.groups.get(group_id)
        if not isinstance(group, ShareGroup):
            if record.value is None:
                return  # the group is deleted already
            if group is not None:
                raise InconsistentRecord(f"group {group_id} is not a share group")
            group = ShareGroup(group_id)
            self.put(group)
        group.replay(record)
        if group.is_deleted:
            self._remove(group_id)

    def _replay_streams_group(self, record: CoordinatorRecord) -> None:
        group = self._group_of(record, StreamsGroup)
        if group is not None:
            replay_streams(group, record)
            if group.is_deleted:
                self._remove(group.group_id)

    def _group_of(self, record: CoordinatorRecord, cls: type[Modern]) -> Modern | None:
        """The group of a record, which may be new; None if it is deleted already."""
        group_id = record.key.group_id
        group = self.groups.get(group_id)
        if isinstance(group, cls):
            return group
        # A simple group holds only offsets and has no record; it is replaced.
        if group is not None and not (isinstance(group, ClassicGroup) and group.is_simple):
            raise InconsistentRecord(f"group {group_id} is not a {cls.group_type} group")
        if record.value is None:
            return None
        created = cls(group_id)
        self.put(created)
        return created
