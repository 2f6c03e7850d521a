"""Completion without blocking, as in Kafka 1.1 to 2.6.

    A: holds the lock, condition not met ............. releases it --> flag set? check again
    B: after an event, finds the lock taken, sets the flag --^     and returns

Without the flag (0.11 and 1.0) B's event is lost: A checked before it, and B did not check
(KAFKA-6653). With the flag each call is followed by a check in some thread. Kafka returned to a
blocking lock (KAFKA-8334), which `DelayedOperation` has. This class is the alternative for an
operation whose checkers must never wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from .delayed_operation import DelayedOperation
from .marks import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class TryLockOperation(DelayedOperation):
    """A delayed operation that watchers check with `maybe_try_complete`."""

    __slots__ = ("_pending_cause", "_pending_guard", "_try_complete_pending")

    def __init__(self, delay_ms: float) -> None:
        super().__init__(delay_ms)
        self._try_complete_pending = False
        self._pending_cause: object = None
        self._pending_guard = Lock()

    def maybe_try_complete(self, cause: object = None) -> bool:
        """Check the operation; if another thread is checking it, make that thread check again."""
        retry = True
        while retry and not self.is_completed:
            if self.lock.acquire(blocking=False):
                try:
                    self._set_pending(False)
                    if super().safe_try_complete(cause):
                        return True
                finally:
                    self.lock.release()
                # The flag was set while the lock was held: the caller that set it relies on this
                # one.
                retry, cause = self._try_complete_pending, self._pending_cause
            else:
                # The flag was set already: the caller that set it, or the lock's holder, checks
                # again.
                retry = not self._set_pending(True, cause)
        return False

    def safe_try_complete(self, cause: object = None) -> bool:
        """Check without blocking; called by the watchers."""
        return self.maybe_try_complete(cause)

    def safe_try_complete_or_else(self, action: Callable[[], object]) -> bool:
        """Check the operation; if it is not complete, run *action* and check it again.

        Both checks honour the flag, and the lock is free during *action*: an event that finds the
        lock taken by the second check makes that check run again.
        """
        if self.maybe_try_complete():
            return True
        action()
        return self.maybe_try_complete()

    def _set_pending(self, pending: bool, cause: object = None) -> bool:
        """Set the flag and its cause in one atomic step; returns the flag's previous value."""
        with self._pending_guard:
            was = self._try_complete_pending
            self._pending_cause = cause  # first, so that a reader of the flag finds its cause
            self._try_complete_pending = pending
            return was
