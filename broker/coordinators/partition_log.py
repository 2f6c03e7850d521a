"""A partition of the node as a `CoordinatorLog` (Kafka's ``CoordinatorPartitionWriter``).

An appended batch is like any other: followers fetch it and consumers may read it. The operations
that wait on the partition are checked when the action queue runs, after the coordinator has applied
the records.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from broker.common.clock import Clock
from broker.common.errors import ApiError
from broker.coordinators.coordinator_log import LogSlice
from broker.coordinators.coordinator_record import RawRecord
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.storage.append import AppendOrigin, AppendRefused
from protocol.record_batch.batch import batches, build_batch, records
from protocol.record_batch.record import Record
from purgatories.action_queue import ActionQueue

_ALL_IN_SYNC = -1
_PRODUCE_VERSION = 13
# The size of one read, about a thousand records. Kafka's offsets.load.buffer.size is larger because
# its loader has its own thread.
_READ_BYTES = 64 * 1024


class PartitionLog:
    """A partition that this node leads."""

    __slots__ = ("_actions", "_clock", "_partition", "_purgatories")

    def __init__(
        self,
        partition: Partition,
        purgatories: PartitionPurgatories,
        actions: ActionQueue,
        clock: Clock,
    ) -> None:
        self._partition = partition
        self._purgatories = purgatories
        self._actions = actions
        self._clock = clock

    @property
    def start_offset(self) -> int:
        """The log start offset."""
        return self._partition.log.log_start_offset

    @property
    def end_offset(self) -> int:
        """The offset of the next record."""
        return self._partition.log.log_end_offset

    @property
    def high_watermark(self) -> int:
        """All records below this offset are replicated."""
        return self._partition.log.high_watermark

    def read(self, offset: int) -> LogSlice:
        """Return the records of some batches from *offset* on, without transaction markers.

        Raises `ApiError` and `CorruptRecords` as `CoordinatorLog.read`.
        """
        log = self._partition.log
        raw = memoryview(log.read(offset, _READ_BYTES, log.log_end_offset_metadata, True).records)
        found: list[RawRecord] = []
        # Compaction may have removed the last records of the log.
        next_offset = log.log_end_offset
        for position, header in batches(raw):
            next_offset = header.next_offset
            if header.is_control:
                continue
            found += (
                RawRecord(each.key or b"", each.value, each.offset)
                for each in records(raw, position)
                if each.offset >= offset
            )
        return LogSlice(found, next_offset)

    def append(self, records: Sequence[RawRecord]) -> None:
        """Append them in one batch; raises `ApiError`. The caller runs the action queue."""
        now_ms = self._clock.wall_ms()
        batch = build_batch([Record(each.key, each.value, timestamp=now_ms) for each in records])
        try:
            appended = self._partition.append_as_leader(
                memoryview(bytearray(batch)),
                _ALL_IN_SYNC,
                _PRODUCE_VERSION,
                AppendOrigin.COORDINATOR,
            )
        except AppendRefused as refusal:
            raise ApiError(refusal.error, refusal.message) from refusal
        moved = [(self._partition.key, appended.high_watermark_moved, self.end_offset)]
        self._actions.add(partial(self._purgatories.after_append, moved))
