"""The offsets of groups: the committed ones, and those of open transactions.

Kafka's ``OffsetMetadataManager.Offsets`` and ``OpenTransactions``. An offset that is committed in
a transaction is *pending* until the marker of the transaction is in the log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet

from broker.common.topic_partition import TopicPartition
from broker.groups.offset_and_metadata import Changes, OffsetAndMetadata, Offsets
from broker.steps.pieces import pieces
from broker.steps.queue import Slices
from protocol.record_batch.header import NO_PRODUCER_ID

_Offsets = dict[TopicPartition, OffsetAndMetadata]


class OffsetTable:
    """The offsets of the groups that a node coordinates.

    Requests that write use the *written* offsets. OffsetFetch returns the *replicated* ones,
    because the next leader may not have the others (Kafka reads its state as of the last committed
    offset). Each change is applied to both, when it is appended and when it is replicated. A load
    adds to the replicated ones what the records below the high watermark add up to.
    """

    __slots__ = ("replicated", "written")

    def __init__(self) -> None:
        self.written = GroupOffsets()
        self.replicated = GroupOffsets()

    def remove(self, group_id: str) -> None:
        """Remove the offsets of a group that is unloaded."""
        self.written.remove(group_id)
        self.replicated.remove(group_id)


class GroupOffsets:
    """The offsets that records up to some offset of the log add up to."""

    __slots__ = ("_by_topic", "_committed", "_groups", "_pending")

    def __init__(self) -> None:
        self._committed: dict[str, _Offsets] = {}
        # By group and producer id.
        self._pending: dict[str, dict[int, _Offsets]] = {}
        # Invariant: the groups in which a producer id has pending offsets.
        self._groups: dict[int, set[str]] = {}
        # Invariant: by topic and group, the number of its committed and of its pending offsets.
        self._by_topic: dict[str, dict[str, int]] = {}

    def committed(self, group_id: str) -> Offsets:
        """The committed offsets of a group."""
        return self._committed.get(group_id, {})

    def pending(self, group_id: str) -> AbstractSet[TopicPartition]:
        """The partitions for which a group has an offset in an open transaction."""
        by_producer = self._pending.get(group_id)
        return set().union(*by_producer.values()) if by_producer else frozenset()

    def groups_of(self, producer_id: int) -> Collection[str]:
        """The groups that have offsets in the open transaction of a producer id."""
        return self._groups.get(producer_id, ())

    def groups_with(self, topic: str) -> Collection[str]:
        """The groups that have a committed or a pending offset of *topic*."""
        return self._by_topic.get(topic, ())

    def change(self, group_id: str, changes: Changes, producer_id: int = NO_PRODUCER_ID) -> None:
        """Apply *changes*, whose offsets are pending if there is a *producer_id*.

        A deletion deletes the pending offsets of all producers, too.
        """
        if producer_id == NO_PRODUCER_ID:
            offsets = self._committed.setdefault(group_id, {})
        else:
            offsets = self._pending.setdefault(group_id, {}).setdefault(producer_id, {})
            self._groups.setdefault(producer_id, set()).add(group_id)
        deleted = []
        for partition, offset in changes.items():
            if offset is None:
                deleted.append(partition)
            else:
                if partition not in offsets:
                    self._count(group_id, partition)
                offsets[partition] = offset
        if deleted:
            self._delete(group_id, deleted)
        self._drop_empty(group_id)

    def end_transaction(
        self, producer_id: int, group_ids: Iterable[str], *, is_commit: bool
    ) -> None:
        """Commit or drop the pending offsets of *producer_id* in some groups.

        The record with the largest offset determines the committed offset, so an ordinary commit
        after that of the transaction stays in effect.
        """
        for group_id in group_ids:
            pending = self._pending.get(group_id, {}).pop(producer_id, None)
            if pending is None:
                continue
            self._discount(group_id, pending)
            if is_commit:
                committed = self._committed.setdefault(group_id, {})
                for partition, offset in pending.items():
                    present = committed.get(partition)
                    if present is None:
                        self._count(group_id, partition)
                    if present is None or offset.record_offset > present.record_offset:
                        committed[partition] = offset
            self._forget(producer_id, group_id)
            self._drop_empty(group_id)

    def adopt(self, group_id: str, loaded: GroupOffsets) -> Slices[None]:
        """Add the offsets of a group that has been loaded."""
        for piece in pieces(loaded.committed(group_id).items()):
            self.change(group_id, dict(piece))
            yield None
        for producer_id, offsets in loaded._pending.get(group_id, {}).items():
            for piece in pieces(offsets.items()):
                self.change(group_id, dict(piece), producer_id)
                yield None

    def become(self, group_id: str, loaded: GroupOffsets) -> Slices[None]:
        """Have the offsets of a group that *loaded* has; those in both are there all the time."""
        yield from self.adopt(group_id, loaded)
        self._retain(group_id, self._committed.get(group_id, {}), loaded.committed(group_id))
        pending = loaded._pending.get(group_id, {})
        for producer_id, offsets in self._pending.get(group_id, {}).items():
            self._retain(group_id, offsets, pending.get(producer_id, {}))
        self._drop_empty(group_id)

    def _retain(self, group_id: str, offsets: _Offsets, retained: Offsets) -> None:
        gone = [each for each in offsets if each not in retained]
        for each in gone:
            del offsets[each]
        self._discount(group_id, gone)

    def remove(self, group_id: str) -> None:
        """Remove the offsets of a group that is deleted or unloaded."""
        self._discount(group_id, self._committed.pop(group_id, ()))
        for producer_id, offsets in self._pending.pop(group_id, {}).items():
            self._discount(group_id, offsets)
            self._forget(producer_id, group_id)

    def _delete(self, group_id: str, partitions: Iterable[TopicPartition]) -> None:
        for offsets in (
            self._committed.get(group_id, {}),
            *self._pending.get(group_id, {}).values(),
        ):
            self._discount(
                group_id, [each for each in partitions if offsets.pop(each, None) is not None]
            )

    def _count(self, group_id: str, partition: TopicPartition) -> None:
        """Count an offset that is added."""
        groups = self._by_topic.setdefault(partition.topic, {})
        groups[group_id] = groups.get(group_id, 0) + 1

    def _discount(self, group_id: str, partitions: Iterable[TopicPartition]) -> None:
        """Count offsets that are removed."""
        for partition in partitions:
            groups = self._by_topic[partition.topic]
            groups[group_id] -= 1
            if not groups[group_id]:
                del groups[group_id]
            if not groups:
                del self._by_topic[partition.topic]

    def _drop_empty(self, group_id: str) -> None:
        """Remove the entries without offsets."""
        if not self._committed.get(group_id, True):
            del self._committed[group_id]
        by_producer = self._pending.get(group_id)
        if by_producer is None:
            return
        for producer_id in [each for each, offsets in by_producer.items() if not offsets]:
            del by_producer[producer_id]
            self._forget(producer_id, group_id)
        if not by_producer:
            del self._pending[group_id]

    def _forget(self, producer_id: int, group_id: str) -> None:
        groups = self._groups[producer_id]
        groups.discard(group_id)
        if not groups:
            del self._groups[producer_id]
