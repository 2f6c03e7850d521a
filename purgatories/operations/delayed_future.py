"""An operation that waits until all its futures are done; at its timeout the others fail.

    future ..... done --+
    future ... done ----+--> the purgatory's own thread: force_complete --> the callback
    future ........     |                                  ^
                     timeout: TimeoutError, and then ------+

The thread is created when the first operation has to wait. If all futures are done already, the
caller's thread runs the callback.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from threading import Lock
from typing import Any, Final

from ..delayed_operation import DelayedOperation
from ..purgatory import DelayedOperationPurgatory
from ..timer.system_timer import SystemTimer

KEY: Final = "delayed-future"  # all operations wait on one key, which is never checked


class DelayedFuture(DelayedOperation):
    """Calls *on_response* once, when each of *futures* has a result or an exception."""

    __slots__ = ("_futures", "_on_response")

    def __init__(
        self,
        timeout_ms: float,
        futures: Sequence[Future[Any]],
        on_response: Callable[[], object],
    ) -> None:
        super().__init__(timeout_ms)
        self._futures = futures
        self._on_response = on_response

    def try_complete(self) -> bool:
        """Complete if all futures are done."""
        return all(future.done() for future in self._futures) and self.force_complete()

    def on_complete(self) -> None:
        """Fail the unfinished futures and call *on_response*."""
        for future in self._futures:
            if not future.done():
                try:
                    future.set_exception(TimeoutError("not finished in time"))
                except InvalidStateError:  # completed meanwhile
                    continue
        self._on_response()


class DelayedFuturePurgatory:
    """A purgatory of futures, and the thread ``DelayedExecutor-<name>`` that completes them."""

    __slots__ = ("_executor", "_lock", "_name", "purgatory")

    def __init__(self, name: str, timer: SystemTimer) -> None:
        self.purgatory = DelayedOperationPurgatory[DelayedFuture](name, timer)
        self._name = name
        self._executor: Executor | None = None
        self._lock = Lock()

    def try_complete_else_watch(
        self,
        timeout_ms: float,
        futures: Sequence[Future[Any]],
        on_response: Callable[[], object],
    ) -> DelayedFuture:
        """Call *on_response* when all *futures* are done, in this call or later."""
        operation = DelayedFuture(timeout_ms, futures, on_response)
        if not self.purgatory.try_complete_else_watch(operation, [KEY]):
            executor = self._delayed_executor()
            finished = count(1)  # next() is atomic

            def on_done(_: Future[Any]) -> None:
                if next(finished) == len(futures) and not operation.is_completed:
                    with suppress(RuntimeError):  # after shutdown there are no more callbacks
                        executor.submit(operation.force_complete)

            for future in futures:
                future.add_done_callback(on_done)
        return operation

    def _delayed_executor(self) -> Executor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, f"DelayedExecutor-{self._name}")
            return self._executor

    def shutdown(self) -> None:
        """Stop the thread and the purgatory."""
        with self._lock:
            if self._executor is not None:
                self._executor.shutdown()
        self.purgatory.shutdown()
