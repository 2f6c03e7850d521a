"""Tests of the selection of logs for compaction: `broker.storage.cleaner.log_cleaner`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from broker.steps.queue import finish
from broker.storage.cleaner.compaction import Compaction
from broker.storage.cleaner.log_cleaner import cleanable
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.storage.retention import delete_old_segments
from tests.broker.storage.cleaner.cleaned_logs import OTHERS, CleanedLogs
from tests.broker.storage.logs import (
    NOW_MS,
    batch,
    marker,
    read_all,
    replicate,
    transactional,
)
from tests.held_offload import HeldOffload


@pytest.fixture
def cleaned(tmp_path: Path) -> CleanedLogs:
    """An empty log."""
    return CleanedLogs(tmp_path)


def test_a_dirty_log_is_compacted(cleaned: CleanedLogs, tmp_path: Path) -> None:
    """The first dirty offset is written to its checkpoint."""
    log = cleaned.log()
    before = len(read_all(log))
    cleaned.cleaner.start()
    cleaned.work()
    assert len(read_all(log)) < before
    active = log.segments.active.base_offset
    assert log.first_dirty_offset == active
    lines = (tmp_path / "cleaner-offset-checkpoint").read_text().splitlines()
    assert lines == ["0", "1", f"orders 0 {active}"]
    assert cleanable(log, NOW_MS) is None


def test_the_first_dirty_offset_survives_a_restart(cleaned: CleanedLogs, tmp_path: Path) -> None:
    """The clean part is not dirty again."""
    log = cleaned.log()
    cleaned.cleaner.start()
    first_dirty = log.first_dirty_offset
    cleaned.logs.close()
    again = CleanedLogs(tmp_path)
    assert again.log(batches=0).first_dirty_offset == first_dirty
    again.logs.close()


def test_a_log_with_policy_delete_is_not_compacted(cleaned: CleanedLogs) -> None:
    """Its keys have no meaning."""
    log = cleaned.log(cleanup_policy=("delete",))
    cleaned.cleaner.start()
    assert len(read_all(log)) == 8


def test_a_log_whose_compaction_was_requested_may_have_another_policy(
    cleaned: CleanedLogs,
) -> None:
    """It is not compacted, and the request ends."""
    first, second = cleaned.log(batches=200), cleaned.log(OTHERS)
    ended: list[str] = []
    cleaned.cleaner.start()
    assert cleaned.waiting, "the compaction of the first log pauses"
    cleaned.cleaner.compact_now(second, lambda: ended.append("second"))
    second.update_config(replace(second.config, cleanup_policy=("delete",)))
    cleaned.work()
    assert ended == ["second"]
    assert (len(read_all(first)) < 200, len(read_all(second))) == (True, 8)


def test_a_log_with_both_policies_is_compacted_and_deleted(cleaned: CleanedLogs) -> None:
    """Superseded records are removed, and old segments are deleted."""
    log = cleaned.log(batches=0, cleanup_policy=("compact", "delete"), retention_ms=1000)
    for key in (b"old", *[b"k"] * 8):
        log.append_as_leader(batch(1, key=key, size=100), 0)
    replicate(log)
    cleaned.cleaner.start()
    assert len(read_all(log)) < 9
    cleaned.clock.time_ms += 2000
    log.append_as_leader(batch(1, key=b"new", timestamp=cleaned.clock.time_ms), 0)
    replicate(log)
    finish(cleaned.logs.each(delete_old_segments))
    assert [record.key for record in read_all(log)][-1] == b"new"
    assert log.log_start_offset > 0


def test_a_log_must_be_dirty_enough(cleaned: CleanedLogs) -> None:
    """More than ``min.cleanable.dirty.ratio``."""
    log = cleaned.log(min_cleanable_dirty_ratio=0.5)
    cleaned.cleaner.start()
    for _ in range(2):
        log.append_as_leader(batch(1, key=b"k", size=100), 0)
    replicate(log)
    found = cleanable(log, NOW_MS)
    assert found is not None
    assert 0 < found.dirty_ratio < 1
    assert found.is_due == (found.dirty_ratio > 0.5)
    log.update_config(LogConfig(cleanup_policy=("compact",), min_cleanable_dirty_ratio=1.0))
    assert not found.is_due


def test_a_log_is_compacted_on_request(cleaned: CleanedLogs) -> None:
    """Although it is not due; the end of the compaction is reported once."""
    log = cleaned.log(min_cleanable_dirty_ratio=1.0)
    ended: list[int] = []
    cleaned.cleaner.compact_now(log, lambda: ended.append(log.first_dirty_offset))
    assert ended == [log.segments.active.base_offset]
    assert cleaned.waiting == []


def test_a_log_that_cannot_be_compacted_is_reported_at_once(cleaned: CleanedLogs) -> None:
    """It has no segment that is not active, or it was deleted."""
    log, deleted = cleaned.log(batches=1), cleaned.log(OTHERS)
    cleaned.logs.delete(OTHERS)
    ended: list[UnifiedLog] = []
    for each in (log, deleted):
        cleaned.cleaner.compact_now(each, lambda each=each: ended.append(each))  # type: ignore[misc]  # the log of this round
    assert ended == [log, deleted]


def test_an_old_record_makes_a_log_due(cleaned: CleanedLogs) -> None:
    """After ``max.compaction.lag.ms``, for any dirty ratio."""
    log = cleaned.log(min_cleanable_dirty_ratio=1.0, max_compaction_lag_ms=1000)
    found = cleanable(log, NOW_MS + 1000)
    assert found is not None
    assert not found.is_due
    later = cleanable(log, NOW_MS + 1001)
    assert later is not None
    assert later.is_due


def test_a_young_record_is_not_compacted(cleaned: CleanedLogs) -> None:
    """Before the end of ``min.compaction.lag.ms``."""
    log = cleaned.log(min_compaction_lag_ms=1000)
    assert cleanable(log, NOW_MS + 999) is None
    assert cleanable(log, NOW_MS + 1000) is not None


def test_records_of_the_future_are_compacted(cleaned: CleanedLogs) -> None:
    """Without ``min.compaction.lag.ms`` no age protects a record."""
    log = cleaned.log(min_compaction_lag_ms=0)
    assert cleanable(log, NOW_MS - 1_000_000) is not None


def test_unstable_records_are_not_compacted(cleaned: CleanedLogs) -> None:
    """Only segments below the last stable offset."""
    log = cleaned.log(batches=4)
    end = log.log_end_offset
    log.append_as_follower(transactional(end, 0), 0)
    for _ in range(6):
        log.append_as_leader(batch(1, key=b"k", size=100), 0)
    replicate(log)
    found = cleanable(log, NOW_MS)
    assert found is not None
    assert found.end <= end
    log.append_as_follower(marker(log.log_end_offset, abort=False), 0)
    replicate(log)
    decided = cleanable(log, NOW_MS)
    assert decided is not None
    assert decided.end > end


def test_the_log_with_the_largest_dirty_ratio_is_first(cleaned: CleanedLogs) -> None:
    """One log at a time, until none is due."""
    clean = cleaned.log(batches=12)
    cleaned.cleaner.start()
    cleaned.work()
    for _ in range(8):
        clean.append_as_leader(batch(1, key=b"k", size=100), 0)
    replicate(clean)
    filthy = cleaned.log(OTHERS)
    ratios = [found.dirty_ratio for log in (clean, filthy) if (found := cleanable(log, NOW_MS))]
    assert ratios == sorted(ratios)
    cleaned.cleaner.start()
    cleaned.work()
    assert cleanable(clean, NOW_MS) is None
    assert cleanable(filthy, NOW_MS) is None


def test_a_compaction_has_pauses(cleaned: CleanedLogs) -> None:
    """Requests are handled in between."""
    log = cleaned.log(batches=0, segment_bytes=1 << 20)
    for _ in range(40):
        log.append_as_leader(batch(1, key=b"k", size=60_000), 0)
    replicate(log)
    cleaned.cleaner.start()
    assert log.first_dirty_offset == 0, "it has only begun"
    cleaned.cleaner.start()
    assert cleaned.work() >= 30
    assert log.first_dirty_offset > 0


def test_records_are_examined_in_worker_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of a single large batch."""
    offload = HeldOffload()
    cleaned = CleanedLogs(tmp_path, offload=offload)
    log = cleaned.log(batches=0, segment_bytes=1 << 20)
    for _ in range(2):
        log.append_as_leader(batch(5000, key=b"k", size=100), 0)
    replicate(log)
    examined: list[bool] = []
    computes = False
    for name in ("_map_batch", "_filtered"):
        original = getattr(Compaction, name)

        def watched(self: Compaction, *batch: Any, original: Any = original) -> Any:
            examined.append(computes)
            return original(self, *batch)

        monkeypatch.setattr(Compaction, name, watched)
    cleaned.cleaner.start()
    while offload.jobs:
        job = offload.jobs.popleft()
        computes = True
        outcome = job.compute()
        computes = False
        job.finish(outcome)
        cleaned.work()
    assert examined == [True, True]
    assert len(read_all(log)) == 5001


def test_a_task_that_raises_for_one_log_runs_for_the_others(cleaned: CleanedLogs) -> None:
    """In every run."""
    reported: list[str] = []
    cleaned.logs.on_error = lambda what, _error: reported.append(what)
    log, other = cleaned.log(), cleaned.log(OTHERS)
    done: list[UnifiedLog] = []

    def chore(each: UnifiedLog) -> None:
        if each is log:
            raise ZeroDivisionError
        done.append(each)

    finish(cleaned.logs.each(chore))
    assert done == [other]
    (what,) = reported
    assert what.endswith(" of orders-0")


def test_a_request_during_the_search_is_served_after_it(cleaned: CleanedLogs) -> None:
    """Also if no log is due."""
    done: list[str] = []
    log = cleaned.log(min_cleanable_dirty_ratio=1.0)
    search = cleaned.search()
    next(search)
    cleaned.cleaner.compact_now(log, lambda: done.append("compacted"))
    assert not done
    finish(search)
    assert done == ["compacted"]
    assert len(read_all(log)) < 8
