"""Tests of the producers of a log: `broker.storage.producers.producer_state`."""

from __future__ import annotations

import pytest

from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.producers.producer_append import maybe_start_verification
from broker.storage.producers.producer_state import (
    LATE_TRANSACTION_BUFFER_MS,
    DefaultProducerConfig,
    ProducerStateManager,
)
from protocol.record_batch.header import read_header
from tests.broker.storage.logs import NOW_MS, batch, emptied, marker, transactional

EXPIRATION_MS = DefaultProducerConfig().producer_id_expiration_ms


def manager(*stored: memoryview) -> ProducerStateManager:
    """A manager with these batches of a log."""
    producers = ProducerStateManager("orders-0")
    for each in stored:
        replay(producers, each)
    return producers


def replay(producers: ProducerStateManager, stored: memoryview) -> AbortedTxn | None:
    return producers.replay(read_header(stored), stored)


def numbered(offset: int, sequence: int = 0, epoch: int = 0) -> memoryview:
    return batch(2, producer_id=5, producer_epoch=epoch, base_sequence=sequence, base_offset=offset)


def verify(producers: ProducerStateManager, epoch: int = 0, *, bumps: bool = True) -> int:
    return maybe_start_verification(producers, 5, epoch, 0, NOW_MS, supports_epoch_bump=bumps)


def test_replay_adds_batches_of_the_log() -> None:
    """A batch without producer only raises the end offset."""
    producers = manager(numbered(10), batch(3, base_offset=12))
    assert producers.map_end_offset == 15
    assert producers.producers[5].last_sequence == 1


def test_replay_accepts_what_the_leader_accepted() -> None:
    """An older epoch, which a leader would refuse, replaces the newer one."""
    producers = manager(numbered(0, epoch=3), numbered(2, 9, epoch=1))
    assert producers.producers[5].epoch == 1


def test_a_new_epoch_replaces_the_batches() -> None:
    """They are no longer duplicates."""
    producers = manager(numbered(0), numbered(2, epoch=1))
    assert [each.first_offset for each in producers.producers[5].batches] == [2]


def test_the_first_batch_of_a_transaction_opens_it() -> None:
    """Later ones belong to it."""
    producers = manager(transactional(10, 0), transactional(12, 2))
    assert producers.producers[5].current_txn_first_offset == 10
    assert producers.transactions.ongoing == {10: 5}


def test_an_abort_marker_ends_its_transaction() -> None:
    """The entry for the index has the first offset of the other open transaction."""
    producers = manager(transactional(10, 0), transactional(12, 0, producer_id=6))
    assert replay(producers, marker(14, abort=True)) == AbortedTxn(5, 10, 14, 12)
    assert producers.producers[5].current_txn_first_offset == -1
    assert producers.transactions.ongoing == {12: 6}


def test_a_commit_marker_makes_no_index_entry() -> None:
    """Its records are read."""
    producers = manager(transactional(10, 0))
    assert replay(producers, marker(12, abort=False)) is None
    assert not producers.transactions.ongoing


def test_a_marker_without_transaction_makes_no_index_entry() -> None:
    """It may be written several times."""
    producers = manager(transactional(10, 0), marker(12, abort=True))
    assert replay(producers, marker(13, abort=True)) is None


def test_a_marker_sets_epoch_coordinator_epoch_and_time() -> None:
    """Also of an unknown producer."""
    producers = manager(marker(12, epoch=3, abort=True, coordinator_epoch=8))
    entry = producers.producers[5]
    assert (entry.epoch, entry.coordinator_epoch, entry.last_timestamp) == (3, 8, NOW_MS)


def test_a_marker_of_the_same_epoch_keeps_the_batches() -> None:
    """Sequence numbers continue in the next transaction."""
    producers = manager(transactional(10, 0), marker(12, abort=False))
    assert producers.producers[5].last_sequence == 1


def test_a_marker_of_a_new_epoch_removes_the_batches() -> None:
    """Sequence numbers begin at 0 in the next transaction."""
    producers = manager(transactional(10, 0), marker(12, epoch=1, abort=False))
    assert producers.producers[5].last_sequence == -1


def test_a_control_batch_without_records_ends_nothing() -> None:
    """Compaction has removed the transaction."""
    empty = emptied(marker(12, abort=True))
    producers = manager(transactional(10, 0))
    assert replay(producers, empty) is None
    assert producers.transactions.ongoing == {10: 5}


def test_the_first_batch_ends_a_verification() -> None:
    """The next transaction needs another guard."""
    producers = manager()
    guard = verify(producers)
    replay(producers, transactional(0, 0))
    replay(producers, marker(2, abort=False))
    assert verify(producers) != guard


def test_records_outside_transactions_do_not_end_a_verification() -> None:
    """They may be older than the transaction."""
    producers = manager()
    guard = verify(producers)
    replay(producers, numbered(0))
    assert verify(producers) == guard


@pytest.mark.parametrize(
    ("bumps", "epoch", "is_kept"), [(True, 1, True), (True, 0, False), (False, 1, False)]
)
def test_a_marker_ends_a_verification(bumps: bool, epoch: int, is_kept: bool) -> None:
    """Except that of the next transaction, which has the epoch of the marker (KIP-890)."""
    producers = manager(numbered(0))
    guard = verify(producers, epoch, bumps=bumps)
    replay(producers, marker(2, epoch=1, abort=False))
    found = producers.verifications.get(5)
    assert (found is not None and found.guard == guard) is is_kept


def test_a_snapshot_has_open_transactions() -> None:
    """Their first offsets."""
    producers, again = manager(transactional(10, 0)), manager()
    again.load(producers.producers.values(), 12, NOW_MS)
    assert again.transactions.first_unstable_offset == 10
    assert replay(again, marker(12, abort=True)) == AbortedTxn(5, 10, 12, 13)


def test_a_snapshot_need_not_be_sorted() -> None:
    """The first open transaction is the one with the smallest offset."""
    producers = manager(transactional(10, 0, producer_id=6), transactional(12, 0))
    again = manager()
    again.load(reversed(producers.producers.values()), 14, NOW_MS)
    assert list(again.transactions.ongoing) == [10, 12]


def test_producers_expire() -> None:
    """After ``producer.id.expiration.ms`` without a batch."""
    producers = manager(numbered(0))
    producers.remove_expired(NOW_MS + EXPIRATION_MS - 1)
    assert 5 in producers.producers
    producers.remove_expired(NOW_MS + EXPIRATION_MS)
    assert not producers.producers


def test_a_producer_with_an_open_transaction_does_not_expire() -> None:
    """Its marker needs the first offset."""
    producers = manager(transactional(0, 0))
    producers.remove_expired(NOW_MS + EXPIRATION_MS)
    assert 5 in producers.producers


def test_verifications_expire() -> None:
    """Their batch may never come."""
    producers = manager()
    verify(producers)
    producers.remove_expired(NOW_MS + EXPIRATION_MS - 1)
    assert producers.verifications
    producers.remove_expired(NOW_MS + EXPIRATION_MS)
    assert not producers.verifications


def test_a_transaction_is_late_after_the_maximum_timeout() -> None:
    """And five minutes, counted from the last batch of its producer."""
    producers = manager(transactional(0, 0))
    limit_ms = producers.config.transaction_max_timeout_ms + LATE_TRANSACTION_BUFFER_MS
    assert not producers.has_late_transaction(NOW_MS + limit_ms)
    assert producers.has_late_transaction(NOW_MS + limit_ms + 1)


def test_a_log_without_open_transaction_has_no_late_one() -> None:
    """However old its producers are."""
    producers = manager(transactional(0, 0), marker(2, abort=False))
    assert not producers.has_late_transaction(NOW_MS + EXPIRATION_MS)
