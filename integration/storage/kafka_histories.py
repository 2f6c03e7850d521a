"""Operations on the logs of a real Kafka and on ours, so that their files can be compared.

Our log receives the batches from the log that Kafka has written, as they were sent or as a follower
fetches them. The compared files are the indexes, snapshots, checkpoints, and compacted segments.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

from broker.storage.cleaner.compaction import Compaction
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.producers.verification_state import NO_GUARD
from broker.storage.validation.append import AppendOrigin
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce, write_txn_markers
from protocol.compression import Codec
from protocol.record_batch.batch import batches, build_batch
from protocol.record_batch.header import TRANSACTIONAL_BIT, BatchHeader, read_header
from protocol.record_batch.patch import set_base_offset_and_epoch
from protocol.record_batch.record import Record

SEGMENT_BYTES = 1 << 20
INDEX_INTERVAL_BYTES = 500
PRODUCER, TRANSACTIONAL = 7, 9
KEYS = 20
_FILLING_BYTES = 900_000


def write_everything(connection: Connection, topic: str) -> None:
    """Several segments: all codecs, an idempotent producer, transactions, unsorted timestamps."""
    chance, sequence = random.Random(3), 0
    now_ms = time.time_ns() // 1_000_000 - 3_600_000
    for number in range(60):
        now_ms += chance.randint(-20, 100)
        values = [
            Record(b"k", chance.randbytes(chance.randrange(30_000)), timestamp=now_ms + extra)
            for extra in range(3)
        ]
        codec = Codec(number % 5)
        if number % 2:
            _send(connection, topic, build_batch(values, codec=codec))
        else:
            _send(connection, topic, _produced(PRODUCER, sequence, values, codec=codec))
            sequence += len(values)
        if number % 10 == 0:
            _transaction(connection, topic, number // 10, values[:1])


def write_keys(connection: Connection, topic: str) -> None:
    """Less than a segment: superseded keys, tombstones, transactions."""
    chance, sequence = random.Random(4), 0
    for number in range(300):
        values = [
            Record(
                b"k%d" % chance.randrange(KEYS),
                None if chance.random() < 0.1 else chance.randbytes(chance.randrange(500)),
                timestamp=_now_ms(),
            )
            for _ in range(chance.randint(1, 8))
        ]
        if number % 3:
            _send(connection, topic, build_batch(values))
        else:
            _send(connection, topic, _produced(PRODUCER, sequence, values))
            sequence += len(values)
        if number % 50 == 0:
            _transaction(connection, topic, number // 50, values[:1])


def fill_segment(connection: Connection, topic: str) -> int:
    """Make the log roll; returns the base offset of the next segment."""
    value = Record(b"filling", bytes(_FILLING_BYTES), timestamp=_now_ms())
    return _send(connection, topic, build_batch([value]))


def _transaction(connection: Connection, topic: str, number: int, values: list[Record]) -> None:
    batch = _produced(TRANSACTIONAL, number, values, attributes=TRANSACTIONAL_BIT)
    _send(connection, topic, batch, transactional_id="mixed")
    commit = number % 2 == 0
    connection.request(write_txn_markers(topic, 0, TRANSACTIONAL, 0, commit=commit))


def _produced(producer: int, sequence: int, values: list[Record], **more: int) -> bytes:
    return build_batch(
        values, producer_id=producer, producer_epoch=0, base_sequence=sequence, **more
    )


def _send(
    connection: Connection, topic: str, batch: bytes, *, transactional_id: str | None = None
) -> int:
    requested = produce(topic, 0, batch, transactional_id=transactional_id)
    response = read_produce(connection.request(requested))
    assert response.error == 0, response
    return response.base_offset


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def stored_batches(directory: Path, start: int = 0) -> Iterator[tuple[BatchHeader, memoryview]]:
    """Return each batch in a partition's files from offset *start* on, as a copy."""
    for path in sorted(directory.glob("*.log")):
        content = path.read_bytes()
        for position, header in batches(content):
            if header.base_offset >= start:
                batch = bytearray(content[position : position + header.size])
                yield header, memoryview(batch)


def play(log: UnifiedLog, written: Iterator[tuple[BatchHeader, memoryview]]) -> None:
    """Append the batches of Kafka with new offsets, as a leader."""
    log.begin_epoch(0)
    for header, batch in written:
        set_base_offset_and_epoch(batch, 0, header.batch_length, 0)
        append(log, batch)


def append(log: UnifiedLog, batch: memoryview) -> None:
    """Append a batch of a client, or a marker, to a log without followers."""
    header, guard = read_header(batch), NO_GUARD
    if header.is_transactional and not header.is_control:
        guard = log.maybe_start_transaction_verification(
            header.producer_id, header.producer_epoch, header.base_sequence, False
        )
    origin = AppendOrigin.COORDINATOR if header.is_control else AppendOrigin.CLIENT
    log.append_as_leader(batch, 0, origin=origin, verification_guard=guard)
    log.update_high_watermark(log.log_end_offset_metadata)


def compact(log: UnifiedLog, end: int, now_ms: int) -> None:
    """Compact up to *end* with *now_ms* as the time."""
    for step in Compaction(log, log.first_dirty_offset, end, now_ms).steps():
        step.run()


def horizons(directory: Path) -> set[int]:
    """Return when tombstones and markers in a partition's files may be removed."""
    found = (header for header, _ in stored_batches(directory))
    return {each.delete_horizon_ms for each in found if each.delete_horizon_ms is not None}
