"""The operations that wait on one key.

    key --> Watchers: { op3, op7, op8 }     in order of arrival; an op is on the list of each of
                                            its keys, and stays there after it completed until
                                            somebody looks: a check of the key, or the purge
A dict is the queue: it keeps the order, unlinks in one step, and unlinking twice is harmless. A
walk goes over a snapshot, so completions may come back to the same key while it is under way.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from .delayed_operation import DelayedOperation
from .on_error import OnError, log_error

T = TypeVar("T", bound=DelayedOperation)


class Watchers(Generic[T]):
    """``watch`` is called under the shard's lock (Kafka's ``WatcherList``), the walks are not."""

    __slots__ = ("operations",)

    def __init__(self) -> None:
        self.operations: dict[T, None] = {}

    def watch(self, operation: T) -> None:
        """Put *operation* at the end of the list, unless it is on it."""
        self.operations[operation] = None

    def try_complete_watched(self, cause: object = None, on_error: OnError = log_error) -> int:
        """Ask every operation because of *cause*; returns how many this walk completed.

        One that raises does not keep the others from being asked (in Kafka it does): the error
        belongs to the operation, not to the event that happened to meet it. Its creator gets it
        (`DelayedOperation.on_error`), or else *on_error*.
        """
        completed = 0
        operations = self.operations
        for operation in list(operations):
            if not operation.is_completed:
                try:
                    if not operation.safe_try_complete(cause):
                        continue
                    completed += 1
                except Exception as error:
                    if not operation.take_error(error):
                        on_error(repr(operation), error)
                    if not operation.is_completed:
                        continue
            operations.pop(operation, None)
        return completed

    def purge_completed(self) -> int:
        """Unlink what others have completed; returns how many that were."""
        done = [operation for operation in list(self.operations) if operation.is_completed]
        for operation in done:
            self.operations.pop(operation, None)
        return len(done)

    def cancel(self) -> list[T]:
        """Take all operations off the list and out of the timer, without completing them."""
        cancelled = list(self.operations)
        for operation in cancelled:
            operation.cancel()
            self.operations.pop(operation, None)
        return cancelled
