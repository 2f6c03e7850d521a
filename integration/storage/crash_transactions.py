"""The log with transactions of `integration.storage.crash`: two producers commit and abort.

After a recovery, the producers, the open transactions and the aborted ones must be those that the
batches of the log result in.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from broker.storage.log.unified_log import UnifiedLog
from integration.storage.kafka_histories import append
from protocol.record_batch.batch import batches, build_batch
from protocol.record_batch.control import EndTxnMarker, build_end_txn_marker, end_txn_marker
from protocol.record_batch.header import TRANSACTIONAL_BIT, BatchHeader
from protocol.record_batch.record import Record

PRODUCERS = (31, 32)


def append_to_transaction(log: UnifiedLog, values: list[Record], chance: random.Random) -> None:
    """Append the values to a transaction, or end one instead."""
    producer_id = chance.choice(PRODUCERS)
    entry = log.producer_state_manager.producers.get(producer_id)
    epoch, sequence = (0, 0) if entry is None else (entry.epoch, entry.last_sequence + 1)
    if entry is not None and entry.is_in_transaction(epoch) and chance.random() < 0.4:
        batch = build_end_txn_marker(
            EndTxnMarker(chance.random() < 0.5, coordinator_epoch=0),
            producer_id=producer_id,
            producer_epoch=epoch + chance.randint(0, 1),
            timestamp=values[0].timestamp,
        )
    else:
        batch = build_batch(
            values,
            producer_id=producer_id,
            producer_epoch=epoch,
            base_sequence=sequence,
            attributes=TRANSACTIONAL_BIT,
        )
    append(log, memoryview(bytearray(batch)))


def check_transactions(log: UnifiedLog) -> None:
    """Compare the log's transactions with its batches."""
    ongoing: dict[int, int] = {}
    aborted = []
    epochs: dict[int, int] = {}
    for header, batch in _batches(log):
        producer_id = header.producer_id
        epochs[producer_id] = header.producer_epoch
        marker = end_txn_marker(batch) if header.is_control else None
        if marker is None:
            ongoing.setdefault(producer_id, header.base_offset)
        else:
            first_offset = ongoing.pop(producer_id, None)
            if marker.is_abort and first_offset is not None:
                last = header.last_offset
                stable = min(ongoing.values(), default=last + 1)
                aborted.append((producer_id, first_offset, last, stable))
    producers = log.producer_state_manager
    assert {each.producer_id: each.epoch for each in producers.producers.values()} == epochs
    found = {producer: first for first, producer in producers.transactions.ongoing.items()}
    assert found == ongoing, f"open transactions {found} instead of {ongoing}"
    entries = [entry for each in log.segments for entry in each.transactions.entries]
    assert entries == aborted, f"aborted transactions {entries} instead of {aborted}"
    log.update_high_watermark(log.log_end_offset_metadata)
    assert log.last_stable_offset == min(ongoing.values(), default=log.log_end_offset)


def _batches(log: UnifiedLog) -> Iterator[tuple[BatchHeader, memoryview]]:
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        data = memoryview(log.read(offset, 1 << 20, log.log_end_offset_metadata, True).records)
        for position, header in batches(data):
            yield header, data[position : position + header.size]
            offset = header.next_offset
