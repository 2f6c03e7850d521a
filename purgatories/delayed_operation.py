"""An operation that is completed exactly once: by an event, or because its time is up.

    an event --> safe_try_complete --> try_complete: is it time? --+
                                                                   +--> force_complete: the first
    the timer --> run ---------------------------------------------+    one wins: on_complete
                   +--- only if it won: on_expiration

The operation's own re-entrant lock is held through `try_complete` and `on_complete`, so the two
never overlap (KAFKA-19312) and a second look always comes after the first (KAFKA-8334).
`is_completed` is set before `on_complete` runs, and so is `completed_by`: who won. Subclasses write
`try_complete` (which must call `force_complete` itself and return its result), `on_complete` and
perhaps `on_expiration`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from threading import RLock
from typing import Final

from .expiration_meter import ExpirationMeter
from .timer.timer_task import TimerTask

TIMEOUT: Final = "timeout"  # the cause when nothing happened in time


class DelayedOperation(TimerTask, ABC):
    """Waits at most ``delay_ms``; ``checks`` counts how often `try_complete` was asked.

    ``completed_by`` is the cause that was given with the event which completed it, whatever that
    is, or `TIMEOUT`; None if its creator's own look did, or if no cause was given. It is kept as
    long as the operation, so it should be small. ``on_error`` is the creator's, who waits for the
    operation: it gets what the operation raises in a walk over a list, or when its time is up,
    and nothing else comes from the operation after that. Both are ours, not Kafka's.
    """

    __slots__ = ("checks", "completed_by", "expirations", "is_completed", "lock", "on_error")

    def __init__(self, delay_ms: float) -> None:
        super().__init__(delay_ms)
        self.lock = RLock()
        self.is_completed = False
        self.completed_by: object = None
        self.checks = 0
        self.expirations: ExpirationMeter | None = None  # its purgatory's, once it is watched
        self.on_error: Callable[[Exception], object] | None = None

    @abstractmethod
    def try_complete(self) -> bool:
        """If the condition is met return ``self.force_complete()``, else False."""

    @abstractmethod
    def on_complete(self) -> None:
        """Do what was waited for; called once, whoever completed the operation."""

    def on_expiration(self) -> None:
        """Keep account of the expiry: after `on_complete`, and only if time ran out."""

    def force_complete(self, cause: object = None) -> bool:
        """Complete the operation unless it is; of all callers exactly one gets True.

        What `on_complete` raises goes to that one; the operation is completed all the same.
        """
        if self.is_completed:
            return False
        with self.lock:
            if self.is_completed:
                return False
            if cause is not None:  # else it is that of the look which calls us, if one does
                self.completed_by = cause
            self.is_completed = True
            self.cancel()
            self.on_complete()
            return True

    def abandon(self) -> None:
        """Complete the operation silently: nobody is left to be answered. Ours, not Kafka's.

        It counts as completed from now on, its timer is cancelled and nothing is called. Whoever
        completes it at the same time either has won already or does nothing.
        """
        with self.lock:
            if not self.is_completed:
                self.is_completed = True
                self.cancel()

    def safe_try_complete(self, cause: object = None) -> bool:
        """Ask `try_complete` under the lock; True only if this very call completed it."""
        with self.lock:
            if self.is_completed:
                return False
            self.checks += 1
            if cause is None:
                return self.try_complete()
            self.completed_by = cause  # until proved wrong: on_complete may want to know
            try:
                return self.try_complete()
            finally:
                if not self.is_completed:
                    self.completed_by = None

    def safe_try_complete_or_else(self, action: Callable[[], object]) -> bool:
        """Ask; if it is not to be completed do *action* and ask again, all under one lock.

        Letting go of the lock in between could deadlock: somebody who found the operation through
        *action* would hold it while waiting for a lock that our caller has.
        """
        with self.lock:
            self.checks += 1
            if self.try_complete():
                return True
            action()
            self.checks += 1
            return self.try_complete()

    def run(self) -> None:
        """Time is up: complete, and keep account of it if nobody was faster."""
        try:
            if self.force_complete(TIMEOUT):
                self.on_expiration()
        except Exception as error:
            if not self.take_error(error):
                raise

    def take_error(self, error: Exception) -> bool:
        """Give what the operation has raised to its creator; False if nobody asked for it."""
        on_error = self.on_error
        if on_error is None:
            return False
        self.abandon()
        on_error(error)
        return True

    def mark_expired(self, tag: object = None, count: int = 1) -> None:
        """Count an expiry in the purgatory's meter; for `on_expiration`."""
        if self.expirations is not None:
            self.expirations.mark(tag, count)
