"""The processor time that the handling of a request has used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


class HandlingTime:
    """Adds up the steps of one request, on the loop and in worker threads.

    *thread_time_ns* returns the processor time of the calling thread. ``is_recorded``: whether the
    request's quota was checked, or does not apply to it.
    """

    __slots__ = ("_began_ns", "_spent_ns", "_thread_time_ns", "is_recorded")

    def __init__(self, thread_time_ns: Callable[[], int], *, is_exempt: bool) -> None:
        self.is_recorded = is_exempt
        self._thread_time_ns = thread_time_ns
        self._began_ns: int | None = None  # of the present step
        self._spent_ns = 0  # in the steps that have ended

    @property
    def spent_ns(self) -> int:
        """The time until now."""
        if self._began_ns is None:
            return self._spent_ns
        return self._spent_ns + self._thread_time_ns() - self._began_ns

    def begin(self) -> None:
        """Begin a step, on the loop."""
        self._began_ns = self._thread_time_ns()

    def end(self) -> None:
        """End the step."""
        self._spent_ns, self._began_ns = self.spent_ns, None

    def measured(self, work: Callable[[], Result]) -> Callable[[], Result]:
        """The function *work*, which another thread is to run while no step is in progress."""

        def measured() -> Result:
            began_ns = self._thread_time_ns()
            try:
                return work()
            finally:
                self._spent_ns += self._thread_time_ns() - began_ns

        return measured
