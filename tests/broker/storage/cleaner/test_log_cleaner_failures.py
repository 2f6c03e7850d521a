"""Compactions that fail, and logs deleted meanwhile: `broker.storage.cleaner.log_cleaner`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from broker.steps.queue import finish
from broker.storage.cleaner.compaction import Compaction
from broker.storage.cleaner.log_cleaner import cleanable
from protocol.record_batch.header import HEADER_BYTES
from tests.broker.storage.cleaner.cleaned_logs import OTHERS, CleanedLogs
from tests.broker.storage.logs import NOW_MS, ORDERS, batch, read_all, replicate
from tests.held_offload import HeldOffload


@pytest.fixture
def cleaned(tmp_path: Path) -> CleanedLogs:
    """An empty log."""
    return CleanedLogs(tmp_path)


def test_a_log_that_is_deleted_during_a_computation_is_not_compacted(tmp_path: Path) -> None:
    """The result of the computation is not used."""
    offload = HeldOffload()
    cleaned = CleanedLogs(tmp_path, offload=offload)
    log = cleaned.log()
    cleaned.cleaner.start()
    cleaned.logs.delete(log.topic_partition)
    offload.finish_next()
    assert not offload.jobs
    assert cleaned.disk.failure is None


def test_a_log_that_is_deleted_meanwhile_is_not_compacted(cleaned: CleanedLogs) -> None:
    """The next log is compacted."""
    log = cleaned.log(batches=0, segment_bytes=1 << 20)
    for _ in range(40):
        log.append_as_leader(batch(1, key=b"k", size=60_000), 0)
    replicate(log)
    cleaned.cleaner.start()
    cleaned.logs.delete(ORDERS)
    cleaned.work()
    other = cleaned.log(OTHERS)
    cleaned.cleaner.start()
    cleaned.work()
    assert cleanable(other, NOW_MS) is None
    assert cleaned.disk.failure is None


def test_a_log_with_damaged_records_is_not_compacted(
    cleaned: CleanedLogs, caplog: pytest.LogCaptureFixture
) -> None:
    """One message reports it; other logs are compacted."""
    log, other = cleaned.log(), cleaned.log(OTHERS)
    path = log.directory / f"{0:020d}.log"
    content = bytearray(path.read_bytes())
    content[HEADER_BYTES : HEADER_BYTES + 2] = b"\xfe\x7f"  # the length of the first record
    path.write_bytes(content)
    cleaned.cleaner.start()
    cleaned.work()
    assert "orders-0 is no longer compacted" in caplog.text
    assert len(read_all(other)) < 8
    caplog.clear()
    cleaned.cleaner.start()
    assert not caplog.text


def test_a_disk_that_fails_during_a_compaction_is_offline(tmp_path: Path) -> None:
    """As during an append."""
    cleaned = CleanedLogs(tmp_path)
    cleaned.log()
    cleaned.disk.room = 0
    cleaned.cleaner.start()
    cleaned.work()
    assert cleaned.logs.is_offline(ORDERS)
    cleaned.logs.close()


def test_a_log_whose_compaction_raises_is_not_compacted_again(
    cleaned: CleanedLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exception is reported; others are compacted (Kafka's ``markPartitionUncleanable``)."""
    reported: list[str] = []
    cleaned.logs.on_error = lambda what, _error: reported.append(what)
    log, other = cleaned.log(), cleaned.log(OTHERS)
    steps = Compaction.steps

    def broken(compaction: Compaction) -> Iterator[Any]:
        if compaction.log is log:
            raise ZeroDivisionError
        yield from steps(compaction)

    monkeypatch.setattr(Compaction, "steps", broken)
    cleaned.cleaner.start()
    cleaned.work()
    cleaned.cleaner.start()
    cleaned.work()
    assert reported == ["compaction of orders-0"]
    assert len(read_all(other)) < 8


def test_a_log_that_is_deleted_during_the_search_is_not_compacted(cleaned: CleanedLogs) -> None:
    """Even if it was the dirtiest."""
    cleaned.log()
    search = cleaned.search()
    next(search)
    cleaned.logs.delete(ORDERS)
    finish(search)
    assert cleaned.work() == 0


def test_the_files_of_a_compaction_are_closed_when_its_log_is_deleted(tmp_path: Path) -> None:
    """Otherwise they would stay open until the process ends."""
    offload = HeldOffload()
    cleaned = CleanedLogs(tmp_path, offload=offload)
    log = cleaned.log()
    cleaned.cleaner.start()
    while not list(log.directory.glob("*.cleaned")):
        offload.finish_next()
    cleaned.logs.delete(log.topic_partition)

    offload.finish_next()

    assert len(cleaned.files) == 0


def test_a_new_topic_is_compacted_after_a_failure_of_the_old_one(
    cleaned: CleanedLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the same name (Kafka's ``maintainUncleanablePartitions``)."""
    cleaned.logs.on_error = lambda _what, _error: None
    failed = cleaned.log()
    with monkeypatch.context() as broken:
        broken.setattr(Compaction, "steps", _raises)
        cleaned.cleaner.start()
    assert cleaned.cleaner.has_failed(failed)
    cleaned.logs.delete(ORDERS)
    log = cleaned.log()

    cleaned.cleaner.start()

    assert len(read_all(log)) < 8
    assert not cleaned.cleaner.has_failed(failed), "a deleted log is forgotten"


def test_a_log_is_cleanable_again_after_a_requested_compaction(
    cleaned: CleanedLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request compacts a log whose compaction has failed before."""
    cleaned.logs.on_error = lambda _what, _error: None
    log = cleaned.log()
    with monkeypatch.context() as broken:
        broken.setattr(Compaction, "steps", _raises)
        cleaned.cleaner.start()

    cleaned.cleaner.compact_now(log, lambda: None)

    assert len(read_all(log)) < 8
    assert not cleaned.cleaner.has_failed(log)


def _raises(_compaction: Compaction) -> Iterator[Any]:
    yield from ()
    raise ZeroDivisionError
