"""Completion without ever blocking: how Kafka 1.1 to 2.6 asked an operation.

    A: holds the lock, has looked, was too early ........ lets go --> flag raised? look again
    B: comes with news, finds the lock taken, raises the flag --^     and leaves

Without the flag (0.11 and 1.0) B's news is lost: A looked before it, B did not look at all
(KAFKA-6653). With it every call is followed by a look of somebody. Kafka went back to a blocking
lock (KAFKA-8334), and so is `DelayedOperation`; this is the alternative for an operation whose
checkers must never wait for each other.
"""

from __future__ import annotations

from threading import Lock

from .delayed_operation import DelayedOperation


class TryLockOperation(DelayedOperation):
    """A delayed operation whose watchers ask by `maybe_try_complete`."""

    __slots__ = ("_pending_cause", "_pending_guard", "_try_complete_pending")

    def __init__(self, delay_ms: float) -> None:
        super().__init__(delay_ms)
        self._try_complete_pending = False
        self._pending_cause: object = None
        self._pending_guard = Lock()

    def maybe_try_complete(self, cause: object = None) -> bool:
        """Ask if nobody is asking; else leave word, so that whoever is asking asks again."""
        retry = True
        while retry and not self.is_completed:
            if self.lock.acquire(blocking=False):
                try:
                    self._set_pending(False)
                    if super().safe_try_complete(cause):
                        return True
                finally:
                    self.lock.release()
                # Word left while the lock was held: its bearer is gone and relies on us.
                retry, cause = self._try_complete_pending, self._pending_cause
            else:
                # Word left already: then its bearer looks after it, or whoever has the lock.
                retry = not self._set_pending(True, cause)
        return False

    def safe_try_complete(self, cause: object = None) -> bool:
        """What the watchers call."""
        return self.maybe_try_complete(cause)

    def _set_pending(self, pending: bool, cause: object = None) -> bool:
        """Swap the flag, with the cause that goes with it, in one step; returns what it was."""
        with self._pending_guard:
            was = self._try_complete_pending
            self._pending_cause = cause  # first: who sees the flag sees its cause
            self._try_complete_pending = pending
            return was
