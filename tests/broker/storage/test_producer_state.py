"""Tests of the producers of a log: `broker.storage.producer_state`."""

from __future__ import annotations

from typing import Any

import pytest

from broker.storage.append import AppendOrigin, AppendRefused
from broker.storage.producer_state import PRODUCER_ID_EXPIRATION_MS, ProducerStateManager
from broker.storage.transaction_index import AbortedTxn
from protocol.errors import ErrorCode
from protocol.record_batch.header import CONTROL_BIT, INT32_MAX, BatchHeader, read_header
from tests.broker.storage.logs import NOW_MS, batch, marker, transactional

CLIENT = AppendOrigin.CLIENT


def header(sequence: int, count: int = 2, epoch: int = 0, **more: Any) -> BatchHeader:
    sent = batch(count, producer_id=5, producer_epoch=epoch, base_sequence=sequence, **more)
    return read_header(sent)


def manager(*headers: BatchHeader) -> ProducerStateManager:
    """A manager with these consecutive batches, from offset 0 on."""
    producers = ProducerStateManager("orders-0")
    offset = 0
    for each in headers:
        producers.update(each, offset, each.max_timestamp)
        offset += each.records_count
    return producers


def refusal(producers: ProducerStateManager, each: BatchHeader) -> ErrorCode:
    with pytest.raises(AppendRefused) as refused:
        producers.check(each, CLIENT)
    return refused.value.error


def test_an_unknown_producer_may_begin_with_any_sequence() -> None:
    """Its state may have expired."""
    assert manager().check(header(1234), CLIENT) is None


def test_sequence_numbers_are_consecutive() -> None:
    """The next is the last plus one."""
    assert manager(header(0)).check(header(2), CLIENT) is None


@pytest.mark.parametrize("sequence", [1, 3, 100])
def test_a_gap_or_an_overlap_is_out_of_order(sequence: int) -> None:
    """Any other sequence number, unless the batch is a duplicate."""
    assert refusal(manager(header(0)), header(sequence)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_each_of_the_last_five_batches_is_recognised() -> None:
    """With its offsets; the sixth last is out of order."""
    producers = manager(*(header(2 * i) for i in range(6)))
    for number in range(1, 6):
        found = producers.check(header(2 * number), CLIENT)
        assert found is not None
        assert (found.first_offset, found.last_offset) == (2 * number, 2 * number + 1)
    assert refusal(producers, header(0)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_duplicate_has_the_same_first_and_last_sequence() -> None:
    """The same last sequence number is not enough."""
    assert refusal(manager(header(0)), header(1, 1)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_an_older_epoch_is_fenced() -> None:
    """A newer instance of the producer has written."""
    assert refusal(manager(header(0, epoch=3)), header(2, epoch=2)) is (
        ErrorCode.INVALID_PRODUCER_EPOCH
    )


def test_a_new_epoch_begins_at_zero() -> None:
    """The batches of the old epoch are no longer duplicates."""
    producers = manager(header(0))
    assert refusal(producers, header(2, epoch=1)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producers.check(header(0, epoch=1), CLIENT) is None
    producers.update(header(0, epoch=1), 2, NOW_MS)
    assert len(producers.producers[5].batches) == 1


def test_sequence_numbers_wrap() -> None:
    """0 follows 2**31 - 1, also within a batch."""
    assert manager(header(INT32_MAX, 1)).check(header(0), CLIENT) is None
    across = header(INT32_MAX - 1, 4)
    producers = manager(across)
    assert producers.check(header(2), CLIENT) is None
    assert producers.check(across, CLIENT) is not None


def test_replicated_batches_are_not_checked() -> None:
    """The leader has checked them."""
    producers = manager(header(0, epoch=3))
    assert producers.check(header(9, epoch=1), AppendOrigin.REPLICATION) is None


def test_coordinators_are_fenced_by_epoch_only() -> None:
    """Markers have no sequence numbers."""
    producers = manager(header(0, epoch=3))
    marker = header(-1, 1, epoch=3, attributes=CONTROL_BIT)
    assert producers.check(marker, AppendOrigin.COORDINATOR) is None
    with pytest.raises(AppendRefused):
        producers.check(header(-1, 1, epoch=2), AppendOrigin.COORDINATOR)


def test_replay_adds_batches_of_the_log() -> None:
    """A batch without producer only raises the end offset."""
    producers = manager()
    replay(producers, batch(2, producer_id=5, producer_epoch=0, base_sequence=0, base_offset=10))
    replay(producers, batch(3, base_offset=12))
    assert producers.map_end_offset == 15
    assert producers.producers[5].last_sequence == 1


def replay(producers: ProducerStateManager, stored: memoryview) -> AbortedTxn | None:
    return producers.replay(read_header(stored), stored)


def test_replay_handles_transactions() -> None:
    """The first undecided one is known; an aborted one is returned with its marker."""
    producers = manager()
    replay(producers, transactional(10, 0))
    replay(producers, transactional(12, 2))
    replay(producers, transactional(14, 0, producer_id=6))
    assert producers.transactions.first_unstable_offset == 10
    assert replay(producers, marker(16, abort=True)) == AbortedTxn(5, 10, 16, 14)
    assert replay(producers, marker(17, producer_id=6, abort=False)) is None
    assert replay(producers, marker(18, abort=True)) is None, "it had no records"
    assert producers.producers[5].coordinator_epoch == 7
    producers.transactions.replicated(19)
    assert producers.transactions.first_unstable_offset is None


def test_a_snapshot_has_open_transactions() -> None:
    """Their first offsets."""
    producers, again = manager(), manager()
    replay(producers, transactional(10, 0))
    again.load(producers.producers.values(), 12, NOW_MS)
    assert again.transactions.first_unstable_offset == 10
    assert replay(again, marker(12, abort=True)) == AbortedTxn(5, 10, 12, 13)


def test_producers_expire() -> None:
    """After ``producer.id.expiration.ms`` without a batch."""
    producers = manager(header(0))
    producers.remove_expired(NOW_MS + PRODUCER_ID_EXPIRATION_MS - 1)
    assert 5 in producers.producers
    producers.remove_expired(NOW_MS + PRODUCER_ID_EXPIRATION_MS)
    assert not producers.producers
