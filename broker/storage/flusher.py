"""Forcing logs to the disk beside the loop, a few at a time (``flush.messages``, ``flush.ms``).

While a log is flushed it goes on taking batches; who asks again meanwhile gets one more flush after
that, however many asked. So the disk decides how often, not the producers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Protocol

from broker.storage.background import Background, Inline, Then
from broker.storage.disk import Disk

RUNNING_MAX = 4

Told = Callable[[], None]


class Flushable(Protocol):
    """A log as its flusher sees it."""

    disk: Disk

    def begin_flush(self) -> Flush:
        """The files that must be synced to make the log safe up to its end; raises OSError."""
        ...

    def flushed(self, flush: Flush) -> None:
        """It has been synced."""
        ...


class Flush:
    """The files that hold a log's records below ``up_to``; ``up_to`` sinks if the log is cut."""

    __slots__ = ("_disk", "_paths", "up_to")

    def __init__(self, disk: Disk, paths: list[Path], up_to: int) -> None:
        self._disk = disk
        self._paths = paths
        self.up_to = up_to

    def run(self) -> None:
        """Return when the disk has them; those that are gone by now matter no more."""
        for path in self._paths:
            self._disk.sync_path(path)


class Flusher:
    """The flushes of all logs; without *durable* nothing is synced: only this process may die."""

    def __init__(self, background: Background | None = None, *, durable: bool = True) -> None:
        self._background = background or Inline()
        self._durable = durable
        # Called when a log has been cut below its recovery point.
        self.on_recovery_point_lowered: Callable[[], None] = _nothing
        # Each with those who want to be told when it is done.
        self._waiting: dict[Flushable, list[Told]] = {}
        self._running: dict[Flushable, tuple[Flush, list[Told]]] = {}

    @property
    def is_busy(self) -> bool:
        """Whether any log is being flushed, or waits for that."""
        return bool(self._running or self._waiting)

    def request(self, log: Flushable) -> None:
        """Make *log* safe up to its end as it is now."""
        self._waiting.setdefault(log, [])
        self._start()

    def cut(self, log: Flushable, offset: int) -> None:
        """*log* ends at *offset* now: what is being synced behind it says nothing."""
        if log in self._running:
            flush, _ = self._running[log]
            flush.up_to = min(flush.up_to, offset)

    def after(self, logs: Iterable[Flushable], action: Told) -> None:
        """Call *action* when all that was requested of *logs* so far is done, or has failed."""
        listeners = [listening for log in logs if (listening := self._listeners(log)) is not None]
        left = len(listeners)

        def count_down() -> None:
            nonlocal left
            left -= 1
            if not left:
                action()

        for listening in listeners:
            listening.append(count_down)
        if not listeners:
            action()

    def sync(self, flush: Flush, then: Then) -> None:
        """Have these files synced beside the loop; *then* gets the error, if there is one."""
        if self._durable:
            self._background.run(flush.run, then)
        else:
            then(None)

    def forget(self, log: Flushable) -> None:
        """*log* is about to be deleted: nothing of it needs to be safe any more."""
        _tell(self._waiting.pop(log, []))
        _, listeners = self._running.pop(log, (None, []))
        _tell(listeners)

    def close(self) -> None:
        """Forget everything; what is running says nothing to anybody any more."""
        self._waiting.clear()
        self._running.clear()

    def _listeners(self, log: Flushable) -> list[Told] | None:
        if log in self._waiting:
            return self._waiting[log]
        return self._running[log][1] if log in self._running else None

    def _start(self) -> None:
        for log in [log for log in self._waiting if log not in self._running]:
            if len(self._running) >= RUNNING_MAX:
                return
            if log in self._waiting:
                self._flush(log, self._waiting.pop(log))

    def _flush(self, log: Flushable, listeners: list[Told]) -> None:
        try:
            flush = log.begin_flush()
        except OSError as error:
            self._failed(log, error, listeners)
            return
        self._running[log] = flush, listeners
        self.sync(flush, partial(self._done, log))

    def _done(self, log: Flushable, error: OSError | None) -> None:
        flush, listeners = self._running.pop(log, (None, []))
        if flush is None:
            return
        if error is None:
            log.flushed(flush)
            _tell(listeners)
        else:
            self._failed(log, error, listeners)
        self._start()

    def _failed(self, log: Flushable, error: OSError, listeners: list[Told]) -> None:
        """Take the disk offline, unless the flush is to be tried again."""
        log.disk.fail(log, error)
        if log.disk.failure is not None:
            _tell(listeners)
        else:  # it has found no descriptor
            self._waiting.setdefault(log, []).extend(listeners)
            self._background.soon(self._start)


def _nothing() -> None:
    pass


def _tell(listeners: list[Told]) -> None:
    for told in listeners:
        told()
