"""Tests of replicated transactions: `broker.storage.unified_log`."""

from __future__ import annotations

from pathlib import Path

from broker.storage.transaction_index import AbortedTxn
from tests.broker.storage.logs import batch, marker, open_log, transactional


def test_a_follower_knows_transactions(tmp_path: Path) -> None:
    """They limit the last stable offset, and aborted ones are in the index."""
    log = open_log(tmp_path)
    for stored in (transactional(0, 0), batch(1, base_offset=2), marker(3, abort=True)):
        log.append_as_follower(stored, 0)
        log.update_high_watermark(log.log_end_offset_metadata)
        if log.log_end_offset < 4:
            assert (log.last_stable_offset, log.high_watermark) == (0, log.log_end_offset)
            assert log.last_stable_offset_metadata.relative_position_in_segment == 0
    assert log.last_stable_offset == 4
    assert log.aborted_transactions(0, 4) == [AbortedTxn(5, 0, 3, 4)]
    assert log.aborted_transactions(3, 4) == [AbortedTxn(5, 0, 3, 4)]
    log.close()
    again = open_log(tmp_path, clean=True, high_watermark=4)
    assert again.last_stable_offset == 4
    assert again.aborted_transactions(0, 4) == [AbortedTxn(5, 0, 3, 4)]
    again.truncate_to(3)
    assert again.last_stable_offset == 0
    assert again.aborted_transactions(0, 3) == []
