"""Kafka's SystemTimerReaperTest: a thread that drives a timer."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from purgatories.timer.reaper import ExpiredOperationReaper
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class Latch(TimerTask):
    """A task that tests can wait for."""

    def __init__(self, delay_ms: float) -> None:
        super().__init__(delay_ms)
        self.ran = threading.Event()
        self.thread = ""

    def run(self) -> None:
        self.thread = threading.current_thread().name
        self.ran.set()


def _timer(executor: ThreadPoolExecutor | None = None) -> SystemTimer:
    """A timer whose clock advances by 50 ms whenever it is read."""
    milliseconds = count(1000, 50)
    return SystemTimer("t", now_ms=lambda: float(next(milliseconds)), executor=executor)


def test_reaper() -> None:
    """SystemTimerReaperTest.testReaper: the reaper expires tasks."""
    timer = _timer()
    reaper = ExpiredOperationReaper("reaper", timer)
    reaper.start()
    tasks = [Latch(delay_ms) for delay_ms in (10, 20, 30)]
    for task in tasks:
        timer.add(task)
    assert all(task.ran.wait(30) for task in tasks)
    assert [task.thread for task in tasks] == ["reaper"] * 3
    reaper.close()


def test_reaper_close() -> None:
    """SystemTimerReaperTest.testReaperClose: the thread ends, and the timer is closed."""
    timer = _timer()
    reaper = ExpiredOperationReaper("reaper", timer)
    reaper.start()
    reaper.close()
    assert not reaper.is_alive()
    late = Latch(0)
    timer.add(late)
    timer.advance_clock(0)
    assert not late.ran.is_set()


def test_a_purge_that_raises_does_not_end_the_reaper() -> None:
    """The exception is reported to on_error, and tasks expire afterwards."""
    timer = _timer()
    reported: list[str] = []
    failed = threading.Event()

    def report(what: str, _: Exception) -> None:
        reported.append(what)
        failed.set()

    def purge() -> None:
        raise RuntimeError("the purge fails")

    timer.on_error = report
    reaper = ExpiredOperationReaper("reaper", timer, purge)
    reaper.start()
    assert failed.wait(30)
    late = Latch(5)
    timer.add(late)

    assert late.ran.wait(30)
    assert reported[0] == "the purge of t"
    reaper.close()


def test_two_owners_share_a_timer() -> None:
    """SystemTimerReaperTest: the tasks of two owners both run."""
    timer = _timer(ThreadPoolExecutor(1, "executor-t"))
    reaper = ExpiredOperationReaper("reaper", timer)
    reaper.start()
    first, second = Latch(5), Latch(5)
    timer.add(first)
    timer.add(second)
    assert first.ran.wait(30)
    assert second.ran.wait(30)
    assert first.thread.startswith("executor-t")
    reaper.close()


def test_purge_follows_every_poll() -> None:
    """The thread purges after each poll, also without tasks; Kafka polls every 200 ms."""
    purged = threading.Event()
    reaper = ExpiredOperationReaper("reaper", _timer(), purged.set)
    reaper.start()
    assert purged.wait(30)
    reaper.close()
