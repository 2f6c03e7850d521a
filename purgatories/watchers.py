"""The operations that wait on one key.

    key --> Watchers: { op3, op7, op8 }     in order of arrival; an op is on the list of each of
                                            its keys, and stays there after its completion until
                                            the key is checked or the list is purged
The queue is a dict: it keeps the order, removes in O(1), and a repeated removal has no effect.
Iteration uses a snapshot, because a completion may check the same key again.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from .delayed_operation import DelayedOperation
from .on_error import OnError, log_error

T = TypeVar("T", bound=DelayedOperation)


class Watchers(Generic[T]):
    """The caller of ``watch`` holds the shard's lock (Kafka's ``WatcherList``)."""

    __slots__ = ("operations",)

    def __init__(self) -> None:
        self.operations: dict[T, None] = {}

    def watch(self, operation: T) -> None:
        """Append *operation* unless the list contains it."""
        self.operations[operation] = None

    def watch_by_arrival(self, operation: T) -> None:
        """`watch` that puts *operation* before those that arrived later.

        The queue is replaced: another thread that iterates over it still finds all that were in it.
        """
        operations = list(self.operations)
        if operations and operations[-1].arrival > operation.arrival:
            operations.append(operation)
            operations.sort(key=_arrival)
            self.operations = dict.fromkeys(operations)
        else:
            self.operations[operation] = None

    def try_complete_watched(self, cause: object = None, on_error: OnError = log_error) -> int:
        """Check each operation; returns how many this call completed.

        Operations with the condition of one that has just been found unmet are not checked.
        An operation that raises does not prevent the check of the others (in Kafka it does): the
        error belongs to the operation, not to the event. It is passed to the operation's creator
        (`DelayedOperation.on_error`), or else to *on_error*.
        """
        completed = 0
        unmet: object = None  # the condition of the operation that was checked last
        for operation in list(self.operations):
            if not operation.is_completed:
                condition = operation.shared_condition
                if condition is not None and condition == unmet:
                    continue
                try:
                    if not operation.safe_try_complete(cause):
                        unmet = condition
                        continue
                    completed += 1
                    unmet = None
                except Exception as error:
                    if not operation.take_error(error):
                        on_error(repr(operation), error)
                    if not operation.is_completed:
                        continue
            self.operations.pop(operation, None)
        return completed

    def waiting(self) -> list[T]:
        """The operations that are not completed, in order of arrival."""
        return [operation for operation in list(self.operations) if not operation.is_completed]

    def purge_completed(self) -> int:
        """Remove completed operations from the list; returns their number."""
        done = [operation for operation in list(self.operations) if operation.is_completed]
        for operation in done:
            self.operations.pop(operation, None)
        return len(done)

    def cancel(self) -> list[T]:
        """Remove all operations from the list and the timer, uncompleted; returns them."""
        cancelled = list(self.operations)
        for operation in cancelled:
            operation.cancel()
            self.operations.pop(operation, None)
        return cancelled


def _arrival(operation: DelayedOperation) -> int:
    return operation.arrival
