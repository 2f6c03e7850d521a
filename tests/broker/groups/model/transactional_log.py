"""What a log with transactions means, computed from all of its records at once.

The coordinator computes the same incrementally (`broker.groups.group_offsets`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_log import TransactionEnd
from broker.coordinators.coordinator_record import RawRecord
from broker.groups.records.offsets import OffsetCommitKey
from broker.groups.records.serde import GROUP_RECORDS
from protocol.record_batch.header import NO_PRODUCER_ID

Entry = RawRecord | TransactionEnd


class OffsetsOfGroup(NamedTuple):
    """The committed offsets of a group, and the partitions with an open transaction."""

    committed: dict[TopicPartition, int]
    pending: frozenset[TopicPartition]


def offsets_of(entries: Sequence[Entry], group_id: str) -> OffsetsOfGroup:
    """The offsets of a group, of which no record is removed yet.

    Of the records after the last tombstone of a partition, the last one that is in no transaction
    or in a committed one is in effect.
    """
    is_committed = _outcomes(entries)
    by_partition: dict[TopicPartition, list[RawRecord]] = {}
    for partition, record in _offset_records(entries, group_id):
        if record.value is None:
            by_partition[partition] = []
        else:
            by_partition.setdefault(partition, []).append(record)
    committed, pending = {}, set()
    for partition, records in by_partition.items():
        visible = [each for each in records if is_committed.get(each.offset, True)]
        if visible:
            committed[partition] = _offset(visible[-1])
        if any(is_committed.get(each.offset, True) is None for each in records):
            pending.add(partition)
    return OffsetsOfGroup(committed, frozenset(pending))


def compact(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield what a log cleaner keeps: below the last stable offset the last record of each key.

    It removes the records of aborted transactions, and tombstones, but no markers.
    """
    is_committed = _outcomes(entries)
    stable = min(
        (offset for offset, outcome in is_committed.items() if outcome is None),
        default=len(entries),
    )
    last: dict[bytes, Entry] = {}
    for entry in entries[:stable]:
        if isinstance(entry, RawRecord) and is_committed.get(entry.offset, True):
            last[entry.key] = entry
    for entry in entries:
        if (
            isinstance(entry, TransactionEnd)
            or entry.offset >= stable
            or (last.get(entry.key) is entry and entry.value is not None)
        ):
            yield entry


def _outcomes(entries: Iterable[Entry]) -> dict[int, bool | None]:
    """Whether each transactional record is committed, by its offset; None: it is in an open one."""
    outcomes: dict[int, bool | None] = {}
    open_records: dict[int, list[int]] = {}
    for entry in entries:
        if isinstance(entry, TransactionEnd):
            for offset in open_records.pop(entry.producer_id, ()):
                outcomes[offset] = entry.is_commit
        elif entry.producer_id != NO_PRODUCER_ID:
            outcomes[entry.offset] = None
            open_records.setdefault(entry.producer_id, []).append(entry.offset)
    return outcomes


def _offset_records(
    entries: Iterable[Entry], group_id: str
) -> Iterator[tuple[TopicPartition, RawRecord]]:
    for entry in entries:
        record = GROUP_RECORDS.deserialize(entry) if isinstance(entry, RawRecord) else None
        if record is not None and isinstance(record.key, OffsetCommitKey):
            key = record.key
            if key.group == group_id:
                assert isinstance(entry, RawRecord)
                yield TopicPartition(key.topic, key.partition), entry


def _offset(raw: RawRecord) -> int:
    record = GROUP_RECORDS.deserialize(raw)
    assert record is not None
    offset: int = record.value.offset
    return offset
