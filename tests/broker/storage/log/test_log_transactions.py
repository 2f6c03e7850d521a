"""Tests of transactions in a log: `broker.storage.log.unified_log`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.producers.verification_state import NO_GUARD
from broker.storage.validation.append import AppendOrigin, AppendRefused
from protocol.errors import ErrorCode
from protocol.record_batch.header import read_header
from tests.broker.storage.logs import batch, marker, open_log, replicate, transactional


def write(log: UnifiedLog, sequence: int, producer_id: int = 5, epoch: int = 0) -> int:
    """Append two records of a transaction, verified if need be; returns the first offset."""
    guard = log.maybe_start_transaction_verification(producer_id, epoch, sequence, False)
    sent = transactional(0, sequence, producer_id, epoch=epoch)
    return log.append_as_leader(sent, 0, verification_guard=guard).first_offset


def end(log: UnifiedLog, producer_id: int = 5, *, version: int = 0, **more: Any) -> int:
    """Append a marker; returns its offset."""
    sent = marker(0, producer_id, **more)
    origin = AppendOrigin.COORDINATOR
    info = log.append_as_leader(sent, 0, origin=origin, transaction_version=version)
    return info.first_offset


def test_an_open_transaction_limits_the_last_stable_offset(tmp_path: Path) -> None:
    """It is the first offset of the transaction, also when later records are replicated."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(3), 0)
    write(log, 0)
    replicate(log)
    assert (log.last_stable_offset, log.high_watermark) == (3, 5)
    position = log.last_stable_offset_metadata.relative_position_in_segment
    assert position == log.offset_metadata(3).relative_position_in_segment


def test_a_marker_moves_the_last_stable_offset_when_it_is_replicated(tmp_path: Path) -> None:
    """Until then another leader could lose it."""
    log = open_log(tmp_path)
    write(log, 0)
    replicate(log)
    assert end(log, abort=False) == 2
    assert log.last_stable_offset == 0
    replicate(log)
    assert log.last_stable_offset == 3


def test_an_aborted_transaction_is_in_the_index(tmp_path: Path) -> None:
    """With the first offset of the other open transaction."""
    log = open_log(tmp_path)
    write(log, 0)
    write(log, 0, producer_id=6)
    end(log, 6, abort=True)
    assert log.aborted_transactions(0, 9) == [AbortedTxn(6, 2, 4, 0)]
    end(log, abort=False)
    replicate(log)
    assert log.last_stable_offset == 6


def test_the_index_entry_is_in_the_segment_with_the_marker(tmp_path: Path) -> None:
    """As in Kafka, whichever segment the records are in."""
    log = open_log(tmp_path)
    write(log, 0)
    log.roll()
    end(log, abort=True)
    names = {path.name for path in log.directory.glob("*.txnindex")}
    assert names == {f"{2:020d}.txnindex"}
    assert log.aborted_transactions(0, 3) == [AbortedTxn(5, 0, 2, 3)]


def test_a_retried_marker_is_written_again(tmp_path: Path) -> None:
    """Without another entry in the index."""
    log = open_log(tmp_path)
    write(log, 0)
    for _ in range(3):
        end(log, epoch=1, version=2, abort=True)
    replicate(log)
    assert log.last_stable_offset == log.log_end_offset == 5
    assert log.aborted_transactions(0, 9) == [AbortedTxn(5, 0, 2, 3)]


def test_a_late_marker_does_not_end_the_next_transaction(tmp_path: Path) -> None:
    """INVALID_PRODUCER_EPOCH, and the log does not change (KIP-890)."""
    log = open_log(tmp_path)
    write(log, 0)
    end(log, epoch=1, version=2, abort=False)
    write(log, 0, epoch=1)
    with pytest.raises(AppendRefused) as refused:
        end(log, epoch=1, version=2, abort=False)
    assert refused.value.error is ErrorCode.INVALID_PRODUCER_EPOCH
    replicate(log)
    assert (log.last_stable_offset, log.log_end_offset) == (3, 5)


def test_a_marker_is_stored_as_it_was_sent(tmp_path: Path) -> None:
    """Uncompressed, in a topic with a compression type; only offset and leader epoch are set."""
    log = open_log(tmp_path, compression_type="gzip")
    write(log, 0)
    sent = marker(0, abort=True)
    before = read_header(sent)
    log.append_as_leader(sent, 4, origin=AppendOrigin.COORDINATOR)
    stored = read_header(log.read(2, 500, log.log_end_offset_metadata, True).records)
    assert (stored.base_offset, stored.size) == (2, 78)
    assert stored._replace(base_offset=0, partition_leader_epoch=-1) == before


def test_a_control_batch_from_a_client_is_refused(tmp_path: Path) -> None:
    """INVALID_RECORD: only coordinators end transactions."""
    log = open_log(tmp_path)
    with pytest.raises(AppendRefused) as refused:
        log.append_as_leader(marker(0, abort=True), 0)
    assert refused.value.error is ErrorCode.INVALID_RECORD


def test_a_transactional_batch_without_producer_is_an_ordinary_one(tmp_path: Path) -> None:
    """No transaction begins, as in Kafka."""
    log = open_log(tmp_path)
    log.append_as_leader(transactional(0, -1, producer_id=-1, epoch=-1), 0)
    replicate(log)
    assert log.last_stable_offset == 2


def test_a_guard_is_used_once(tmp_path: Path) -> None:
    """The first batch opens the transaction; the next transaction needs another guard."""
    log = open_log(tmp_path)
    guard = log.maybe_start_transaction_verification(5, 0, 0, False)
    log.append_as_leader(transactional(0, 0), 0, verification_guard=guard)
    assert log.maybe_start_transaction_verification(5, 0, 2, False) == NO_GUARD
    end(log, abort=False)
    with pytest.raises(AppendRefused) as refused:
        log.append_as_leader(transactional(0, 2), 0, verification_guard=guard)
    assert refused.value.error is ErrorCode.INVALID_TXN_STATE


def test_deleted_records_of_an_open_transaction_stay_in_it(tmp_path: Path) -> None:
    """The last stable offset is the log start; the index has the old first offset."""
    log = open_log(tmp_path)
    write(log, 0)
    write(log, 2)
    replicate(log)
    log.maybe_increment_log_start_offset(3)
    assert log.last_stable_offset == 3
    assert log.last_stable_offset_metadata.message_offset == 3
    assert log.producer_state_manager.transactions.ongoing == {0: 5}
    end(log, abort=True)
    assert log.aborted_transactions(3, 5) == [AbortedTxn(5, 0, 4, 5)]


def test_a_follower_knows_transactions(tmp_path: Path) -> None:
    """They limit the last stable offset, and aborted ones are in the index."""
    log = open_log(tmp_path)
    for stored in (transactional(0, 0), batch(1, base_offset=2), marker(3, abort=True)):
        log.append_as_follower(stored, 0)
        replicate(log)
        if log.log_end_offset < 4:
            assert (log.last_stable_offset, log.high_watermark) == (0, log.log_end_offset)
    assert log.last_stable_offset == 4
    assert log.aborted_transactions(0, 4) == [AbortedTxn(5, 0, 3, 4)]
    assert log.aborted_transactions(3, 4) == [AbortedTxn(5, 0, 3, 4)]


def aborted_log(path: Path, **more: Any) -> UnifiedLog:
    """A transaction at 0 to 1, aborted at 2, and an open one from 3 on, replicated."""
    log = open_log(path, **more)
    write(log, 0)
    end(log, abort=True)
    write(log, 0, producer_id=6)
    replicate(log)
    return log


@pytest.mark.parametrize("clean", [True, False])
def test_transactions_are_known_after_a_restart(tmp_path: Path, clean: bool) -> None:
    """From a snapshot after a clean shutdown, else from the batches."""
    log = aborted_log(tmp_path)
    if clean:
        log.close()
    again = open_log(tmp_path, clean=clean, high_watermark=5)
    assert again.last_stable_offset == 3
    assert again.aborted_transactions(0, 9) == [AbortedTxn(5, 0, 2, 3)]
    assert end(again, 6, abort=True) == 5
    assert again.aborted_transactions(3, 9) == [AbortedTxn(6, 3, 5, 6)]


def test_recovery_rebuilds_the_index_of_each_segment(tmp_path: Path) -> None:
    """With a transaction that begins in an earlier segment than its marker."""
    log = aborted_log(tmp_path)
    log.roll()
    end(log, 6, abort=True)
    expected = [(path.name, path.read_bytes()) for path in sorted(log.directory.glob("*.txnindex"))]
    assert len(expected) == 2
    for path in log.directory.glob("*.txnindex"):
        path.unlink()
    again = open_log(tmp_path)
    found = [(path.name, path.read_bytes()) for path in sorted(again.directory.glob("*.txnindex"))]
    assert found == expected


def test_truncation_reopens_a_transaction(tmp_path: Path) -> None:
    """Its marker and its index entry are removed."""
    log = aborted_log(tmp_path)
    log.truncate_to(2)
    assert log.last_stable_offset == 0
    assert log.aborted_transactions(0, 9) == []
    assert log.producer_state_manager.transactions.ongoing == {0: 5}


def test_truncation_removes_a_transaction(tmp_path: Path) -> None:
    """With all of its records."""
    log = aborted_log(tmp_path)
    log.truncate_to(3)
    assert log.last_stable_offset == log.log_end_offset == 3
    assert not log.producer_state_manager.transactions.ongoing


def test_a_log_that_starts_anew_has_no_transactions(tmp_path: Path) -> None:
    """Also if a snapshot has the offset at which it starts: the markers are elsewhere."""
    aborted_log(tmp_path).close()
    log = open_log(tmp_path, clean=True, high_watermark=5)
    log.truncate_fully_and_start_at(5)
    assert not log.producer_state_manager.producers
    log.append_as_leader(batch(1), 0)
    replicate(log)
    assert log.last_stable_offset == 6
    again = open_log(tmp_path, log_start_offset=5, high_watermark=6)
    assert again.last_stable_offset == 6
