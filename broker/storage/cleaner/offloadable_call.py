"""A call whose result stepwise work needs for its next step; it may run in a worker thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from broker.steps.offload import Outcome

Result = TypeVar("Result")


class OffloadableCall(Generic[Result]):
    """A call of *work*, which reads ``size_bytes``.

    The owner of the steps may `run` it in a thread; otherwise `result` runs it. Until the next step
    nothing else may use the objects that *work* uses.
    """

    __slots__ = ("_outcome", "_work", "size_bytes")

    def __init__(self, work: Callable[[], Result], size_bytes: int) -> None:
        self._work = work
        self.size_bytes = size_bytes
        self._outcome: Outcome[Result] | None = None

    def run(self) -> None:
        """Call *work*; `result` raises its exception."""
        self._outcome = Outcome.of(self._work)

    def result(self) -> Result:
        """The result of *work*; raises its exception."""
        if self._outcome is None:
            self.run()
        assert self._outcome is not None
        return self._outcome.result()
