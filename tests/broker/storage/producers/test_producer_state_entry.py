"""Tests of the state of one producer: `broker.storage.producers.producer_state_entry`."""

from __future__ import annotations

from broker.storage.producers.producer_state_entry import (
    BatchMetadata,
    LastRecord,
    ProducerStateEntry,
)
from protocol.record_batch.header import BatchHeader, read_header
from tests.broker.storage.logs import NOW_MS, batch, marker


def header(sequence: int, epoch: int = 0) -> BatchHeader:
    return read_header(batch(2, producer_id=5, producer_epoch=epoch, base_sequence=sequence))


def entry() -> ProducerStateEntry:
    producer = ProducerStateEntry(5, 0, NOW_MS)
    producer.batches.append(BatchMetadata(1, 11, 1, NOW_MS))
    return producer


def test_the_last_sequence_is_that_of_the_last_batch() -> None:
    """-1 if there is none."""
    assert entry().last_sequence == 1
    assert ProducerStateEntry(5, 0, NOW_MS).last_sequence == -1


def test_a_duplicate_has_the_offsets_of_the_batch() -> None:
    """They are in the response to the retry."""
    found = entry().duplicate_of(header(0))
    assert found is not None
    assert (found.first_offset, found.last_offset) == (10, 11)


def test_a_batch_of_another_epoch_is_no_duplicate() -> None:
    """Sequence numbers begin again in each epoch."""
    assert entry().duplicate_of(header(0, epoch=1)) is None


def test_the_last_record_is_in_the_batch_with_its_offset() -> None:
    """Compaction keeps this batch."""
    assert LastRecord(1, 0).is_in(header(0))
    assert not LastRecord(2, 0).is_in(header(0))


def test_the_last_record_of_a_producer_without_batches_is_a_marker() -> None:
    """One with the epoch of the producer."""
    assert LastRecord(None, 0).is_in(read_header(marker(0, abort=True)))
    assert not LastRecord(None, 1).is_in(read_header(marker(0, abort=True)))
    assert not LastRecord(None, 0).is_in(header(0))
