"""Two logs with as many features as possible, written by our storage alone.

One is truncated, rolled, half deleted, and has aborted transactions, with producers of all kinds
and all codecs; the other is compacted.
"""

from __future__ import annotations

import random
from pathlib import Path
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.storage.cleaner.log_cleaner import LogCleaner
from broker.storage.directories.log_manager import LogManager
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.storage.retention import delete_old_segments
from integration.machine.clock import MachineClock
from integration.storage.kafka_histories import append
from protocol.compression import Codec
from protocol.record_batch.batch import build_batch
from protocol.record_batch.control import EndTxnMarker, build_end_txn_marker
from protocol.record_batch.header import TRANSACTIONAL_BIT
from protocol.record_batch.record import Record

MIXED = TopicPartition("mixed", 0)
COMPACTED = TopicPartition("compacted", 0)
SEGMENT_BYTES = 16 * 1024
INDEX_INTERVAL_BYTES = 300
BATCHES = 250
PRODUCERS = 4


class Mixture:
    """The writer of one log; the seed determines its operations."""

    def __init__(self, log: UnifiedLog, seed: int) -> None:
        self._log = log
        self._chance = random.Random(seed)
        self._now_ms = MachineClock().wall_ms() - 1_000_000
        # By producer id; the last one is transactional.
        self._sequences = dict.fromkeys(range(1, PRODUCERS + 1), 0)
        self._in_transaction = False

    def write(self, batches: int) -> None:
        """Append so many batches, and the markers that end transactions."""
        for _ in range(batches):
            producer = self._chance.randrange(PRODUCERS + 1)
            if producer == PRODUCERS and self._in_transaction and self._chance.random() < 0.5:
                self.end_transaction()
            else:
                self._append(producer)

    def end_transaction(self) -> None:
        """Commit or abort the open transaction, if there is one."""
        if self._in_transaction:
            batch = build_end_txn_marker(
                EndTxnMarker(self._chance.choice([True, False]), coordinator_epoch=7),
                producer_id=PRODUCERS,
                producer_epoch=0,
                timestamp=self._now_ms,
            )
            append(self._log, memoryview(bytearray(batch)))
            self._in_transaction = False

    def _append(self, producer: int) -> None:
        count = self._chance.randint(1, 12)
        self._now_ms += self._chance.randint(-20, 100)  # not always ascending
        values = [
            Record(
                b"k%d" % self._chance.randrange(50),
                self._chance.randbytes(self._chance.randrange(150)),
                timestamp=self._now_ms + self._chance.randrange(50),
            )
            for _ in range(count)
        ]
        header = {}
        if producer:
            header = {
                "producer_id": producer,
                "producer_epoch": 0,
                "base_sequence": self._sequences[producer],
            }
            self._sequences[producer] += count
        if producer == PRODUCERS:
            header["attributes"] = TRANSACTIONAL_BIT
            self._in_transaction = True
        batch = build_batch(values, codec=self._chance.choice(list(Codec)), **header)
        append(self._log, memoryview(bytearray(batch)))


def write_logs(folder: Path, topic_ids: dict[TopicPartition, UUID], *, seed: int) -> None:
    """Write both logs and close them in order."""
    manager = LogManager(folder, MachineClock(), node_id=1, cluster_id="c", durable=False)
    _write_mixed(manager, topic_ids[MIXED], seed)
    _write_compacted(manager, topic_ids[COMPACTED], seed)
    manager.close()


def _write_mixed(manager: LogManager, topic_id: UUID, seed: int) -> None:
    config = LogConfig(segment_bytes=SEGMENT_BYTES, index_interval_bytes=INDEX_INTERVAL_BYTES)
    log = manager.get_or_create(MIXED, topic_id, config)
    mixture = Mixture(log, seed)
    mixture.write(BATCHES)
    mixture.end_transaction()
    cut = log.log_end_offset
    log.roll()
    for _ in range(3):
        log.append_as_leader(memoryview(bytearray(build_batch([Record(None, b"lost")]))), 0)
    log.truncate_to(cut + 1)
    mixture.write(BATCHES)
    mixture.end_transaction()
    log.update_high_watermark(log.log_end_offset_metadata)
    log.maybe_increment_log_start_offset(log.segments.base_offsets[2] + 3)
    delete_old_segments(log)


def _write_compacted(manager: LogManager, topic_id: UUID, seed: int) -> None:
    config = LogConfig(
        cleanup_policy=("compact",),
        segment_bytes=SEGMENT_BYTES,
        index_interval_bytes=INDEX_INTERVAL_BYTES,
        min_cleanable_dirty_ratio=0.0,
    )
    log = manager.get_or_create(COMPACTED, topic_id, config)
    Mixture(log, seed).write(BATCHES)
    log.update_high_watermark(log.log_end_offset_metadata)
    LogCleaner(manager, lambda _, action: action()).start()
    assert log.first_dirty_offset, "nothing was compacted"
