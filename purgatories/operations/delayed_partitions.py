"""An operation over several partitions, each decided by itself; it completes with the last of them.

    timed out until decided        decided: never looked at again
    [ 0: error 7, pending ]  --->  [ 0: error 0 ]
    [ 1: error 7, pending ]  --->  [ 1: error 6 ]  --->  none is pending: complete, answer all

The error is preset to REQUEST_TIMED_OUT, so that whatever is still pending when time runs out has
the right one already; a partition that failed before the wait is not waited for.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from ..delayed_operation import DelayedOperation

NONE = 0
REQUEST_TIMED_OUT = 7  # protocol error codes, as numbers: the room knows no protocol


class PartitionStatus(Protocol):
    """What is known of one partition."""

    acks_pending: bool
    error: int


K = TypeVar("K", bound=Hashable)
S = TypeVar("S", bound=PartitionStatus)


class DelayedPartitions(DelayedOperation, Generic[K, S]):
    """Answers once, with all *statuses*; subclasses decide about one partition at a time."""

    __slots__ = ("_on_response", "statuses")

    def __init__(
        self, timeout_ms: float, statuses: dict[K, S], on_response: Callable[[dict[K, S]], object]
    ) -> None:
        super().__init__(timeout_ms)
        self.statuses = statuses
        self._on_response = on_response
        for status in statuses.values():
            if status.error == NONE:
                status.acks_pending = True
                status.error = REQUEST_TIMED_OUT

    @abstractmethod
    def decide(self, key: K, status: S) -> bool:
        """If the partition's wait is over set its error (and result) and return True."""

    def try_complete(self) -> bool:
        """Look at the partitions that are still undecided; complete when there are none left."""
        waiting = False
        for key, status in self.statuses.items():
            if status.acks_pending:
                if self.decide(key, status):
                    status.acks_pending = False
                else:
                    waiting = True
        return False if waiting else self.force_complete()

    def on_complete(self) -> None:
        """Hand the partitions' states to the caller."""
        self._on_response(self.statuses)
