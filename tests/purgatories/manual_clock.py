"""A clock that tests advance, and mock tasks, operations and purgatories that use it."""

from __future__ import annotations

from purgatories.delayed_operation import DelayedOperation
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from purgatories.try_lock_operation import TryLockOperation


class ManualClock:
    """A clock in milliseconds that changes only in `advance_to`."""

    def __init__(self, now_ms: float = 0.0) -> None:
        self.now_ms = now_ms

    def __call__(self) -> float:
        return self.now_ms

    def advance_to(self, time_ms: float, timer: SystemTimer) -> None:
        """Advance to *time_ms*, stopping at each expiration of *timer*."""
        while (next_ms := timer.next_expiration_ms) <= time_ms:
            self.now_ms = max(self.now_ms, next_ms)
            assert timer.advance_clock(0)
        self.now_ms = max(self.now_ms, time_ms)
        assert not timer.advance_clock(0)


class LoggingTask(TimerTask):
    """Appends its number to a list when it runs."""

    def __init__(self, delay_ms: float, number: int, output: list[int]) -> None:
        super().__init__(delay_ms)
        self.number = number
        self.output = output

    def run(self) -> None:
        self.output.append(self.number)


class MockOperation(DelayedOperation):
    """Completes when its flag is set; counts the calls of its methods."""

    def __init__(self, delay_ms: float = 10_000, *, completable: bool = False) -> None:
        super().__init__(delay_ms)
        self.completable = completable
        self.completions = 0
        self.expiries = 0

    def try_complete(self) -> bool:
        return self.completable and self.force_complete()

    def on_complete(self) -> None:
        self.completions += 1

    def on_expiration(self) -> None:
        self.expiries += 1
        self.mark_expired("mock")


class MockTryLockOperation(MockOperation, TryLockOperation):
    """A `MockOperation` that is checked without blocking."""


class MockPurgatory:
    """A purgatory on a manual clock, with short names for frequent calls."""

    def __init__(self, **options: int) -> None:
        self.clock = ManualClock()
        self.timer = SystemTimer("mock", now_ms=self.clock)
        self.purgatory = DelayedOperationPurgatory[MockOperation]("mock", self.timer, **options)
        self.watch = self.purgatory.try_complete_else_watch
        self.check = self.purgatory.check_and_complete

    def let_time_pass(self, until_ms: float) -> None:
        """Advance the clock and purge, as the reaper does."""
        while (next_ms := self.timer.next_expiration_ms) <= until_ms:
            self.clock.now_ms = max(self.clock.now_ms, next_ms)
            self.timer.advance_clock(0)
            self.purgatory.purge_if_due()
