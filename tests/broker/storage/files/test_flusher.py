"""Tests of flushes in the background: `broker.storage.files.flusher`."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.files.blocking_work import Then, Work
from broker.storage.files.disk import Disk
from broker.storage.files.flusher import RUNNING_MAX, Flush, Flusher, run_all
from tests.broker.storage.logs import FailingDisk


class Later:
    """Work that runs when the test calls `finish`.

    Unless it *calls_soon*, the test calls the ``actions`` that are to be called soon.
    """

    def __init__(self, *, calls_soon: bool = True) -> None:
        self.tasks: list[tuple[Work, Then]] = []
        self.actions: list[Callable[[], None]] = []
        self._calls_soon = calls_soon

    def run(self, work: Work, then: Then) -> None:
        self.tasks.append((work, then))

    def soon(self, action: Callable[[], None]) -> None:
        if self._calls_soon:
            action()
        else:
            self.actions.append(action)

    def finish(self, error: OSError | None = None) -> None:
        """Run the oldest work; it fails with *error*, if that is given."""
        work, then = self.tasks.pop(0)
        work()
        then(error)


class Log:
    def __init__(self, disk: Disk | None = None, path: Path | None = None) -> None:
        self.disk = disk or Disk()
        self.end = 0
        self.recovery_point = 0
        self.path = path
        self.failures = 0

    def begin_flush(self) -> Flush:
        self.disk.check()
        if self.failures:
            self.failures -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return Flush(self.disk, [self.path] if self.path else [], self.end)

    def flushed(self, flush: Flush) -> None:
        self.recovery_point = flush.up_to


def test_a_flush_covers_the_log_at_its_start(tmp_path: Path) -> None:
    """Records that are appended during the flush are not flushed."""
    disk, later, called = FailingDisk(), Later(), list[str]()
    log, flusher = Log(disk, tmp_path), Flusher(later)
    log.end = 5
    flusher.request(log)
    flusher.after([log], lambda: called.append("first"))
    log.end = 8
    assert (log.recovery_point, disk.syncs, called) == (0, 0, [])
    later.finish()
    assert (log.recovery_point, disk.syncs, called) == (5, 1, ["first"])


def test_requests_during_a_flush_share_one_more(tmp_path: Path) -> None:
    """The number of requests does not matter."""
    later, called = Later(), list[str]()
    log, flusher = Log(), Flusher(later)
    for end in (1, 2, 3, 4):
        log.end = end
        flusher.request(log)
        flusher.after([log], partial(called.append, str(end)))
    later.finish()
    assert (log.recovery_point, called) == (1, ["1"])
    later.finish()
    assert (log.recovery_point, called) == (4, ["1", "2", "3", "4"])
    assert later.tasks == []


def test_few_flushes_run_at_a_time() -> None:
    """A thousand logs do not use a thousand threads."""
    later, logs = Later(), [Log() for _ in range(RUNNING_MAX + 3)]
    flusher = Flusher(later)
    for log in logs:
        log.end = 1
        flusher.request(log)
    assert len(later.tasks) == RUNNING_MAX
    while later.tasks:
        later.finish()
        assert len(later.tasks) <= RUNNING_MAX
    assert all(log.recovery_point == 1 for log in logs)


def test_the_logs_that_wait_are_not_examined_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by a request nor by a completion: thousands may wait."""
    hashed: list[Log] = []

    def hash_of(log: Log) -> int:
        hashed.append(log)
        return id(log)

    monkeypatch.setattr(Log, "__hash__", hash_of)
    counts = []
    for number in (RUNNING_MAX + 3, RUNNING_MAX + 300):
        later = Later()
        flusher = Flusher(later)
        for log in [Log() for _ in range(number)]:
            flusher.request(log)
        hashed.clear()
        flusher.request(Log())
        later.finish()
        counts.append(len(hashed))
    assert counts[0] == counts[1]


def test_a_flush_without_descriptor_is_repeated_later() -> None:
    """It does not keep the flush of another log from beginning."""
    later = Later(calls_soon=False)
    log, other, flusher = Log(), Log(), Flusher(later)
    log.failures = 2
    flusher.request(log)
    flusher.request(other)
    assert [*flusher.running] == [other]
    later.actions[0]()
    assert [*flusher.running] == [other, log]


def test_a_wait_for_several_flushes_ends_with_the_last() -> None:
    """A wait for none ends immediately."""
    later, called = Later(), list[str]()
    flusher, logs = Flusher(later), [Log(), Log(), Log()]
    for log in logs[:2]:
        flusher.request(log)
    flusher.after(logs, lambda: called.append("both"))
    flusher.after(logs[2:], lambda: called.append("none"))
    later.finish()
    assert called == ["none"]
    later.finish()
    assert called == ["none", "both"]


def test_a_truncation_limits_a_running_flush() -> None:
    """The records that replace the truncated ones are not flushed."""
    later = Later()
    log, flusher = Log(), Flusher(later)
    log.end = 9
    flusher.request(log)
    flusher.cut(log, 4)
    flusher.cut(log, 6)
    later.finish()
    assert log.recovery_point == 4


def test_a_failed_sync_takes_the_disk_offline() -> None:
    """The recovery point stays, and the listeners are called."""
    later, called = Later(), list[str]()
    log, flusher = Log(), Flusher(later)
    log.end = 9
    flusher.request(log)
    flusher.request(log)
    flusher.after([log], lambda: called.append("end"))
    later.finish(OSError(5, "Input/output error"))
    assert (log.recovery_point, called) == (0, ["end"])
    assert log.disk.failure is not None
    assert later.tasks == []


def test_a_sync_without_descriptor_is_repeated() -> None:
    """The disk stays online; the listeners are called after the repetition."""
    later, called = Later(), list[str]()
    log, flusher = Log(), Flusher(later)
    log.end = 9
    flusher.request(log)
    flusher.after([log], lambda: called.append("end"))

    later.finish(OSError(errno.EMFILE, "Too many open files"))
    assert (log.recovery_point, called, log.disk.failure) == (0, [], None)
    later.finish()

    assert (log.recovery_point, called) == (9, ["end"])


def test_a_log_that_is_not_durable_is_not_synced(tmp_path: Path) -> None:
    """What it has written outlives the process."""
    disk, later = FailingDisk(), Later()
    log, flusher = Log(disk, tmp_path), Flusher(later, durable=False)
    log.end = 3
    flusher.request(log)
    assert (log.recovery_point, disk.syncs, later.tasks) == (3, 0, [])


def test_a_flush_that_ends_after_close_is_ignored() -> None:
    """The data directory may be in use by another manager."""
    later = Later()
    log, flusher = Log(), Flusher(later)
    log.end = 9
    flusher.request(log)
    flusher.close()
    later.finish()
    assert log.recovery_point == 0


@pytest.mark.parametrize("durable", [True, False])
def test_without_a_loop_a_flush_runs_immediately(tmp_path: Path, durable: bool) -> None:
    """As in tools."""
    disk = FailingDisk()
    log = Log(disk, tmp_path)
    log.end = 2
    Flusher(durable=durable).request(log)
    assert (log.recovery_point, disk.syncs) == (2, int(durable))


def test_only_flushes_with_files_run_when_logs_are_closed(tmp_path: Path) -> None:
    """Logs without new records have none, and there may be ten thousand of them."""
    ran: list[str] = []

    class Recorded(Flush):
        def run(self) -> None:
            ran.append(str(self.up_to))

    disk = Disk()
    flushes = {
        TopicPartition("t", 0): Recorded(disk, [], 1),
        TopicPartition("t", 1): Recorded(disk, [tmp_path], 2),
    }

    assert run_all(flushes) == {}
    assert ran == ["2"]
