"""An operation on several partitions, each decided separately; it completes when all are decided.

    timed out until decided        decided: not checked again
    [ 0: error 7, pending ]  --->  [ 0: error 0 ]
    [ 1: error 7, pending ]  --->  [ 1: error 6 ]  --->  none is pending: complete

The error is preset to REQUEST_TIMED_OUT, which is correct for partitions that are still pending at
the timeout. A partition that failed before the wait is not pending.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable
from typing import Final, Generic, Protocol, TypeVar

from ..delayed_operation import DelayedOperation
from ..marks import mypyc_attr

NONE: Final = 0
REQUEST_TIMED_OUT: Final = 7  # a number, because this package does not import `protocol`


class PartitionStatus(Protocol):
    """The state of one partition."""

    acks_pending: bool
    error: int


K = TypeVar("K", bound=Hashable)
S = TypeVar("S", bound=PartitionStatus)


@mypyc_attr(allow_interpreted_subclasses=True)
class DelayedPartitions(DelayedOperation, Generic[K, S]):
    """Passes all *statuses* to its callback once; subclasses implement `decide`."""

    __slots__ = ("_on_response", "statuses")

    def __init__(
        self, timeout_ms: float, statuses: dict[K, S], on_response: Callable[[dict[K, S]], object]
    ) -> None:
        super().__init__(timeout_ms)
        self.statuses = statuses
        self._on_response: Callable[[dict[K, S]], object] | None = on_response
        for status in statuses.values():
            if status.error == NONE:
                status.acks_pending = True
                status.error = REQUEST_TIMED_OUT

    @abstractmethod
    def decide(self, key: K, status: S) -> bool:
        """If the partition's wait is over set its error (and result) and return True."""

    def try_complete(self) -> bool:
        """Check the pending partitions; complete when there are none left."""
        waiting = False
        for key, status in self.statuses.items():
            if status.acks_pending:
                if self.decide(key, status):
                    status.acks_pending = False
                else:
                    waiting = True
        return False if waiting else self.force_complete()

    def on_complete(self) -> None:
        """Pass the partitions' statuses to the callback."""
        assert self._on_response is not None, "the operation is completed once"
        self._on_response(self.statuses)

    def release(self) -> None:
        """See `DelayedOperation`; the callback is dropped too."""
        super().release()
        self._on_response = None
