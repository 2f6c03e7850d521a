"""The lost wake-up of an operation that is checked without blocking, with and without the flag."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.atlas.experiment import Experiment
from purgatories.delayed_operation import DelayedOperation
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from purgatories.try_lock_operation import TryLockOperation
from tests.purgatories.interleavings import meeting
from tests.purgatories.manual_clock import ManualClock, MockOperation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLOCKING, FLAG, NO_FLAG = "blocking lock", "try-lock with flag", "try-lock without flag"


class Row(NamedTuple):
    """The interleavings of adding an operation with events."""

    operation: str
    keys: int
    interleavings: int
    lost: int


class _WithFlag(MockOperation, TryLockOperation):
    """Kafka 1.1 to 2.6."""


class _WithoutFlag(_WithFlag):
    """Kafka 0.11 and 1.0: a check that finds the lock taken does nothing."""

    def maybe_try_complete(self, cause: object = None) -> bool:
        """Check if the lock is free."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            return DelayedOperation.safe_try_complete(self, cause)
        finally:
            self.lock.release()


_OPERATIONS: dict[str, type[Any]] = {
    BLOCKING: MockOperation,
    FLAG: _WithFlag,
    NO_FLAG: _WithoutFlag,
}


def measure(size: int) -> list[Row]:
    """All interleavings for operations with 1 to *size* keys."""
    return [_interleave(name, keys) for name in _OPERATIONS for keys in range(1, size + 1)]


def _interleave(name: str, keys: int) -> Row:
    """Add an operation in one thread, with an event in another one before each of its steps."""
    lost = 0
    with meeting() as met:
        for at in count():
            timer = SystemTimer("interleaved", now_ms=ManualClock())
            purgatory = DelayedOperationPurgatory[Any]("interleaved", timer, shards=1)
            operation = _OPERATIONS[name](1000)

            def watch(operation: Any = operation, purgatory: Any = purgatory) -> None:
                purgatory.try_complete_else_watch(operation, range(keys))

            def event(operation: Any = operation, purgatory: Any = purgatory) -> None:
                operation.completable = True
                purgatory.check_and_complete(keys - 1)

            if not met.interleave(watch, event, at):
                return Row(name, keys, at, lost)
            lost += not operation.is_completed
    raise AssertionError("a finite number of steps")


def check(rows: list[Row]) -> None:
    """Events are lost without the flag only."""
    for row in rows:
        assert row.interleavings > 10, row
        assert (row.lost > 0) == (row.operation == NO_FLAG), row


def plot(axes: Axes, rows: list[Row]) -> None:
    """Lost events by the number of keys, a line for each kind of operation."""
    for name, style in zip(_OPERATIONS, ("o-", "x--", "s-"), strict=True):
        chosen = [row for row in rows if row.operation == name]
        axes.plot([row.keys for row in chosen], [row.lost for row in chosen], style, label=name)
    axes.set_xticks(sorted({row.keys for row in rows}))
    axes.set_xlabel("keys of the operation")
    axes.set_ylabel("interleavings that lose the event")
    axes.legend()


EXPERIMENT = Experiment(
    "lost_wakeup",
    "The lost wake-up",
    "An operation that is checked without blocking loses events unless a check that finds the lock "
    "taken leaves a flag (KAFKA-6653).",
    "One thread adds an operation to a purgatory, and an event in a second thread meets its "
    "condition and checks its key, in each interleaving before another step of the first one. "
    "An event is lost if the first thread has read the condition already and still holds the lock; "
    "with the flag it checks again, and with a blocking lock the event waits.",
    ("operation", "keys", "interleavings", "lost events"),
    measure,
    check,
    plot,
    size=3,
    small_size=1,
    size_unit="numbers of keys",
)
