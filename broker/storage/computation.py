"""A computation that work in steps needs before its next step, for a worker thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from broker.steps.offload import Outcome

Result = TypeVar("Result")


class Computation(Generic[Result]):
    """Whoever takes the steps may `run` it in a thread; otherwise `result` runs it.

    Nothing else may use what *work* uses until the next step. ``size_bytes`` is how much it reads.
    """

    __slots__ = ("_outcome", "_work", "size_bytes")

    def __init__(self, work: Callable[[], Result], size_bytes: int) -> None:
        self._work = work
        self.size_bytes = size_bytes
        self._outcome: Outcome[Result] | None = None

    def run(self) -> None:
        """Compute; an exception is kept for `result`."""
        self._outcome = Outcome.of(self._work)

    def result(self) -> Result:
        """What *work* returns; raises what it raises."""
        if self._outcome is None:
            self.run()
        assert self._outcome is not None
        return self._outcome.result()
