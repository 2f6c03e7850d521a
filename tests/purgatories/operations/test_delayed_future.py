"""Kafka's DelayedFutureTest."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import pytest

from purgatories.operations.delayed_future import DelayedFuture, DelayedFuturePurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import ManualClock


class Setting:
    def __init__(self) -> None:
        self.clock = ManualClock()
        self.timer = SystemTimer("test", now_ms=self.clock)
        self.purgatory = DelayedFuturePurgatory("test", self.timer)
        self.called = threading.Event()
        self.threads: list[str] = []

    def wait_for(self, *futures: Future[Any], timeout_ms: float = 100_000) -> DelayedFuture:
        return self.purgatory.try_complete_else_watch(timeout_ms, futures, self.call_back)

    def call_back(self) -> None:
        self.threads.append(threading.current_thread().name)
        self.called.set()


def _done(result: int = 0) -> Future[int]:
    future = Future[int]()
    future.set_result(result)
    return future


def test_delayed_future_done() -> None:
    """DelayedFutureTest: with done futures the caller's thread calls back and no thread starts."""
    s = Setting()
    before = threading.enumerate()
    s.wait_for(_done(), _done())
    assert s.threads == [threading.current_thread().name]
    assert threading.enumerate() == before
    s.purgatory.shutdown()


def test_delayed_future_pending() -> None:
    """DelayedFutureTest: with pending futures the purgatory's thread calls back after the last."""
    s = Setting()
    pending = [Future[int](), Future[int]()]
    s.wait_for(_done(), *pending)
    pending[0].set_result(1)
    assert not s.called.is_set()
    pending[1].set_exception(ZeroDivisionError())
    assert s.called.wait(30)
    s.purgatory.shutdown()
    assert len(s.threads) == 1
    assert s.threads[0].startswith("DelayedExecutor-test")


def test_future_done_after_shutdown(caplog: pytest.LogCaptureFixture) -> None:
    """A future that is done after the shutdown causes no callback and no error."""
    s = Setting()
    late = Future[int]()
    operation = s.wait_for(late)
    s.purgatory.shutdown()
    late.set_result(1)
    assert not operation.is_completed
    assert caplog.text == ""


def test_delayed_future_timeout() -> None:
    """DelayedFutureTest: at the timeout, and not before, the unfinished future fails."""
    s = Setting()
    unfinished = Future[int]()
    finished = _done(7)
    operation = s.wait_for(finished, unfinished, timeout_ms=2000)
    s.clock.advance_to(1999, s.timer)
    assert not s.called.is_set()
    s.clock.advance_to(2000, s.timer)
    assert operation.is_completed
    assert s.called.is_set()
    assert finished.result() == 7
    with pytest.raises(TimeoutError):
        unfinished.result(timeout=0)
    s.purgatory.shutdown()
    assert len(s.threads) == 1
