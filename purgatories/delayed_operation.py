"""An operation that is completed exactly once: by an event or by its timeout.

    an event --> safe_try_complete --> try_complete: condition met? --+
                                                                      +--> force_complete: the
    the timer --> run ------------------------------------------------+    first caller wins and
                   +--- only if it won: on_expiration                      runs on_complete

The operation's re-entrant lock is held through `try_complete` and `on_complete`, so the two never
overlap (KAFKA-19312) and two checks never run at the same time (KAFKA-8334). `is_completed` and
`completed_by` are set before `on_complete` runs. Subclasses implement `try_complete` (which must
call `force_complete` itself and return its result), `on_complete` and optionally `on_expiration`.
"""

from __future__ import annotations

from _thread import RLock  # that of `threading` is a function, which the interpreter runs
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

from .expiration_meter import ExpirationMeter
from .marks import mypyc_attr
from .timer.timer_task import TimerTask

TIMEOUT: Final = "timeout"  # the cause of a completion by the timer


@mypyc_attr(allow_interpreted_subclasses=True)
class DelayedOperation(TimerTask, ABC):
    """Waits at most ``delay_ms``; ``checks`` counts the calls of `try_complete`.

    ``arrival`` is its number, from 1 on, in the order in which operations begin to wait in a
    purgatory; 0 before that. ``completed_by`` is the cause passed with the event that completed it,
    or `TIMEOUT`; None if the creator's own check completed it, or if no cause was passed. A cause
    lives as long as the operation, so it should be small. ``on_error`` is set by the creator: it
    receives an exception that the operation raises during `check_and_complete` or on expiry; the
    operation is then abandoned. ``on_check`` may be set by an observer: it is called before each
    check because of an event, with the cause. ``shared_condition`` may be set by the creator:
    either all operations with equal shared conditions can complete now or none, so if the check of
    one does not complete it, the event does not check the others. Kafka has none of these
    attributes.
    """

    __slots__ = (
        "arrival",
        "checks",
        "completed_by",
        "expirations",
        "is_completed",
        "lock",
        "on_check",
        "on_error",
        "shared_condition",
    )

    def __init__(self, delay_ms: float) -> None:
        super().__init__(delay_ms)
        self.lock = RLock()
        self.is_completed = False
        self.completed_by: object = None
        self.arrival = 0
        self.checks = 0
        self.shared_condition: object = None
        self.expirations: ExpirationMeter | None = None  # set by the purgatory that watches it
        self.on_error: Callable[[Exception], object] | None = None
        self.on_check: Callable[[object], object] | None = None

    @abstractmethod
    def try_complete(self) -> bool:
        """If the condition is met return ``self.force_complete()``, else False."""

    @abstractmethod
    def on_complete(self) -> None:
        """Perform the completion; called once, by the thread that completes the operation."""

    def on_expiration(self) -> None:
        """Record the expiry; called after `on_complete`, and only if the timer completed it."""

    def force_complete(self, cause: object = None) -> bool:
        """Complete the operation unless it is completed; exactly one caller gets True.

        An exception from `on_complete` propagates to that caller; the operation stays completed.
        """
        if self.is_completed:
            return False
        with self.lock:
            if self.is_completed:
                return False
            if cause is not None:  # otherwise keep the cause that safe_try_complete has set
                self.completed_by = cause
            self.is_completed = True
            self.cancel()
            self.on_complete()
            return True

    def abandon(self) -> None:
        """Mark the operation as completed without calling anything. Kafka has no such method.

        Cancels the timer task. If another thread completes the operation at the same time, either
        that completion happens first or it has no effect.
        """
        with self.lock:
            if not self.is_completed:
                self.is_completed = True
                self.cancel()

    def release(self) -> None:
        """Drop what only an operation that waits needs; its creator calls it after the completion.

        A completed operation may remain in the lists of other keys until these are purged, so that
        a purgatory keeps a thousand of them, with what they refer to. Kafka has no such method.
        """
        assert self.is_completed
        self.on_error = self.on_check = None

    def safe_try_complete(self, cause: object = None) -> bool:
        """Call `try_complete` under the lock; True only if this call completed the operation."""
        with self.lock:
            if self.is_completed:
                return False
            self.checks += 1
            if self.on_check is not None:
                self.on_check(cause)
            if cause is None:
                return self.try_complete()
            self.completed_by = cause  # reset below if not completed; on_complete may read it
            try:
                return self.try_complete()
            finally:
                if not self.is_completed:
                    self.completed_by = None

    def safe_try_complete_or_else(self, action: Callable[[], object]) -> bool:
        """Call `try_complete`; if it returns False run *action* and call it again, under one lock.

        Releasing the lock in between could deadlock: a thread that found the operation through
        *action* would hold its lock while waiting for a lock that our caller holds.
        """
        with self.lock:
            self.checks += 1
            if self.try_complete():
                return True
            action()
            self.checks += 1
            return self.try_complete()

    def run(self) -> None:
        """Complete the operation because its delay has expired, and record the expiry."""
        try:
            if self.force_complete(TIMEOUT):
                self.on_expiration()
        except Exception as error:
            if not self.take_error(error):
                raise

    def take_error(self, error: Exception) -> bool:
        """Abandon the operation and pass *error* to ``on_error``; False if that is not set."""
        on_error = self.on_error
        if on_error is None:
            return False
        self.abandon()
        on_error(error)
        return True

    def mark_expired(self, tag: object = None, count: int = 1) -> None:
        """Count *count* expiries in the purgatory's meter; called by `on_expiration`."""
        if self.expirations is not None:
            self.expirations.mark(tag, count)
