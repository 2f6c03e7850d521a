"""The logs that the writers of `integration.storage.crash` write, and their checks.

Each partition is of another kind, spread over two data directories: plain batches of all codecs;
those of one idempotent producer, whose sequence numbers are the offsets; a compacted log; one whose
beginning is deleted repeatedly; and one with transactions. A record contains its offset, so that it
can be checked without further data.
"""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.storage.cleaner.log_cleaner import LogCleaner
from broker.storage.directories.checkpointed_offsets import LOG_STARTS
from broker.storage.directories.log_manager import LogManager
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.storage.retention import delete_old_segments
from integration.machine.clock import MachineClock
from integration.storage.crash_transactions import append_to_transaction, check_transactions
from protocol.compression import Codec
from protocol.record_batch.batch import batches, build_batch, records
from protocol.record_batch.header import check_crc
from protocol.record_batch.record import Record

PLAIN, IDEMPOTENT, COMPACTED, DELETED, TRANSACTIONAL = PARTITIONS = range(5)
DIRECTORIES = ("a", "b")
SEGMENT_BYTES = 16 * 1024
RECORDS_MAX = 20
PRODUCER_ID = 7
KEYS = 11
# In the compacted log every so many'th record is a tombstone.
TOMBSTONES = 13
_NOTES = "notes"
_NOTE = struct.Struct(">iqq")


def noted(folder: Path) -> int:
    """Return the number of notes of the writers in a folder."""
    notes = folder / _NOTES
    return notes.stat().st_size // _NOTE.size if notes.exists() else 0


class CrashLogs:
    """The opened logs in *folder*."""

    def __init__(self, folder: Path) -> None:
        self._notes = folder / _NOTES
        paths = [folder / name for name in DIRECTORIES]
        clock = MachineClock()
        self._manager = LogManager(paths, clock, node_id=1, cluster_id="c", durable=False)
        self.logs = [self._log_of(number) for number in PARTITIONS]
        self._manager.started()

    def _log_of(self, number: int) -> UnifiedLog:
        policy = "compact" if number == COMPACTED else "delete"
        config = LogConfig(
            cleanup_policy=(policy,),
            segment_bytes=SEGMENT_BYTES,
            index_interval_bytes=1024,
            min_cleanable_dirty_ratio=0.0,
            delete_retention_ms=5,
        )
        return self._manager.get_or_create(TopicPartition("t", number), UUID(int=1), config)

    # ------------------------------------------------------------------------------ writing

    def write(self, chance: random.Random) -> None:
        """Append for a while, rolling and flushing, then close in order.

        Each completed operation is recorded in a file before the next: log end offsets, and log
        start offsets.
        """
        notes = os.open(self._notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        chores: list[Callable[[], object]] = [
            self._manager.checkpoint,
            LogCleaner(self._manager, lambda _, action: action()).start,
        ]
        chores += [chore for log in self.logs for chore in (log.roll, log.local_log.flush)]
        for _ in range(chance.randrange(20, 200)):
            log = chance.choice(self.logs)
            _append(log, chance)
            self._note(notes, log)
            if chance.random() < 0.05:
                chance.choice(chores)()
            if chance.random() < 0.02:
                self._delete(chance)
                self._note(notes, self.logs[DELETED])
        os.close(notes)
        self._manager.close()

    def _delete(self, chance: random.Random) -> None:
        log = self.logs[DELETED]
        log.maybe_increment_log_start_offset(chance.randint(0, log.high_watermark))
        self._manager.checkpoint([LOG_STARTS])
        delete_old_segments(log)

    def _note(self, notes: int, log: UnifiedLog) -> None:
        place = _NOTE.pack(log.topic_partition.partition, log.log_start_offset, log.log_end_offset)
        os.write(notes, place)

    # ----------------------------------------------------------------------------- checking

    def check(self) -> int:
        """Compare the logs with the notes; returns the number of records."""
        starts, ends = dict.fromkeys(PARTITIONS, 0), dict.fromkeys(PARTITIONS, 0)
        if self._notes.exists():
            for number, start, end in _NOTE.iter_unpack(self._notes.read_bytes()):
                starts[number] = max(starts[number], start)
                ends[number] = max(ends[number], end)
        for number, log in enumerate(self.logs):
            start, end, name = log.log_start_offset, log.log_end_offset, log.topic_partition
            assert ends[number] <= end <= ends[number] + RECORDS_MAX, f"{name} ends at {end}"
            assert starts[number] <= start, f"{name} begins at {start}, not at {starts[number]}"
            found = list(_records(log))
            if number == COMPACTED:
                _check_compacted(found, end)
            else:
                assert [record.offset for record in found] == list(range(start, end)), name
        _check_producer(self.logs[IDEMPOTENT])
        check_transactions(self.logs[TRANSACTIONAL])
        return sum(log.log_end_offset for log in self.logs)

    def die(self) -> None:
        """Leave the logs as they are."""
        self._manager.crash()


def _append(log: UnifiedLog, chance: random.Random) -> None:
    """Append a batch of records that contain their offsets."""
    number, begin = log.topic_partition.partition, log.log_end_offset
    now_ms = MachineClock().wall_ms()
    values = [
        Record(
            _key_at(offset),
            None if _is_tombstone(number, offset) else _value_at(number, offset, chance),
            timestamp=now_ms,
        )
        for offset in range(begin, begin + chance.randint(1, RECORDS_MAX))
    ]
    if number == TRANSACTIONAL:
        append_to_transaction(log, values, chance)
        return
    producer = {"producer_id": PRODUCER_ID, "producer_epoch": 0, "base_sequence": begin}
    more = producer if number == IDEMPOTENT else {}
    batch = build_batch(values, codec=chance.choice(list(Codec)), **more)
    log.append_as_leader(memoryview(bytearray(batch)), 0)
    log.update_high_watermark(log.log_end_offset_metadata)


def _key_at(offset: int) -> bytes:
    return b"k%d" % (offset % KEYS)


def _is_tombstone(number: int, offset: int) -> bool:
    return number == COMPACTED and offset % TOMBSTONES == 0


def _value_at(number: int, offset: int, chance: random.Random) -> bytes:
    return b"%d-%d;" % (number, offset) + bytes(chance.randrange(400))


def _records(log: UnifiedLog) -> Iterator[Record]:
    """Check that all records are in whole batches and have the written content."""
    number, offset = log.topic_partition.partition, log.log_start_offset
    while offset < log.log_end_offset:
        data = memoryview(log.read(offset, 1 << 20, log.log_end_offset_metadata, True).records)
        if not data:
            assert number == COMPACTED, f"{log.topic_partition}: nothing at {offset}"
            return
        for position, header in batches(data):
            batch = data[position : position + header.size]
            torn = len(batch) < header.size or not check_crc(batch, header)
            assert not torn, f"{log.topic_partition}: a partial batch after {offset}"
            for record in records(batch):
                if record.offset >= offset:
                    if not header.is_control:
                        _check_record(number, record)
                    yield record
            assert header.next_offset > offset, f"{header.next_offset} is not after {offset}"
            offset = header.next_offset


def _check_record(number: int, record: Record) -> None:
    offset = record.offset
    assert record.key == _key_at(offset), f"not the key of {offset}"
    if _is_tombstone(number, offset):
        assert record.value is None, f"no tombstone at {offset}"
    else:
        written = b"%d-%d;" % (number, offset)
        assert record.value is not None, f"a tombstone at {offset}"
        assert record.value.startswith(written), f"not what was written at {offset}"


def _check_compacted(found: list[Record], end: int) -> None:
    """Check that the latest record of each key is present, unless it is a tombstone."""
    offsets = [record.offset for record in found]
    assert offsets == sorted(set(offsets)), "offsets go back"
    latest = {record.key: record for record in found}
    for offset in range(max(0, end - KEYS), end):
        record = latest.get(_key_at(offset))
        if record is None:
            assert _is_tombstone(COMPACTED, offset), f"{offset} is lost"
        else:
            assert record.offset == offset, (
                f"{record.offset} is the latest of its key, not {offset}"
            )


def _check_producer(log: UnifiedLog) -> None:
    """Check the last sequence number of the log's producer."""
    known = [entry.last_sequence for entry in log.producer_state_manager.producers.values()]
    assert known == ([log.log_end_offset - 1] if log.log_end_offset else []), known
