"""Tests of opening a log again: `broker.storage.log.open_log`."""

from __future__ import annotations

from pathlib import Path

from tests.broker.storage.logs import (
    batch,
    open_log,
    read_all,
)


def test_a_closed_log_is_opened_as_it_was(tmp_path: Path) -> None:
    """Offsets, epochs, producers and indexes survive a clean shutdown without a recovery."""
    log = open_log(tmp_path, segment_bytes=3000, index_interval_bytes=200)
    for sequence in range(100):
        log.append_as_leader(
            batch(1, producer_id=4, producer_epoch=1, base_sequence=sequence), sequence // 30
        )
    log.maybe_increment_high_watermark(log.log_end_offset_metadata)
    log.close()
    again = open_log(tmp_path, segment_bytes=3000, clean=True, high_watermark=100)
    assert (again.log_end_offset, again.high_watermark, again.leader_epoch_cache.latest) == (
        100,
        100,
        3,
    )
    assert [record.offset for record in read_all(again)] == list(range(100))
    last = batch(1, producer_id=4, producer_epoch=1, base_sequence=99)
    assert again.append_as_leader(last, 3).duplicate


def test_the_offsets_of_the_checkpoints_are_used(tmp_path: Path) -> None:
    """The high watermark is kept within log start and log end."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(5), 0)
    log.close()
    offsets = []
    for high_watermark in (0, 3, 9):
        again = open_log(tmp_path, clean=True, log_start_offset=2, high_watermark=high_watermark)
        offsets.append((again.log_start_offset, again.high_watermark, again.log_end_offset))
    assert offsets == [(2, 2, 5), (2, 3, 5), (2, 5, 5)]
