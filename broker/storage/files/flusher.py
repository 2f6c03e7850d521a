"""Forces logs to the disk in the background, a few at a time (``flush.messages``, ``flush.ms``).

A log can be appended to while it is flushed. All requests during a flush are served by one more
flush after it, so the speed of the disk limits their number.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from broker.common.do_nothing import do_nothing
from broker.common.topic_partition import TopicPartition
from broker.storage.files.blocking_work import BlockingWork, Inline, Then
from broker.storage.files.disk import Disk

RUNNING_MAX: Final = 4
# When all logs are closed: a file system writes its journal once for concurrent syncs.
SYNCS_AT_ONCE: Final = 8

Listener = Callable[[], None]


class Flushable(Protocol):
    """What the flusher needs of a log."""

    disk: Disk

    def begin_flush(self) -> Flush:
        """The files to sync for all records up to the log's end; raises OSError."""
        ...

    def flushed(self, flush: Flush) -> None:
        """*flush* has been done."""
        ...


class Flush:
    """The files with a log's records below ``up_to``, which a truncation lowers."""

    __slots__ = ("_disk", "_paths", "up_to")

    def __init__(self, disk: Disk, paths: list[Path], up_to: int) -> None:
        self._disk = disk
        self._paths = paths
        self.up_to = up_to

    @property
    def has_files(self) -> bool:
        """Whether there is anything to sync."""
        return bool(self._paths)

    def run(self) -> None:
        """Sync the files that still exist. Raises OSError."""
        for path in self._paths:
            self._disk.sync_path(path)


def run_all(flushes: Mapping[TopicPartition, Flush]) -> dict[TopicPartition, OSError]:
    """Run *flushes*, several at a time; returns the errors of those that failed.

    A flush without files does not enter a thread, which takes more time than closing the log.
    """
    with ThreadPoolExecutor(SYNCS_AT_ONCE) as threads:
        running = {
            key: threads.submit(flush.run) for key, flush in flushes.items() if flush.has_files
        }
    failures = {}
    for key, flushed in running.items():
        try:
            flushed.result()
        except OSError as error:
            failures[key] = error
    return failures


class Flusher:
    """The flushes of all logs; without *durable* nothing is synced.

    ``waiting`` and ``running`` have the logs whose flush has not begun and not ended.
    """

    def __init__(self, blocking_work: BlockingWork | None = None, *, durable: bool = True) -> None:
        self._blocking_work = blocking_work or Inline()
        self._durable = durable
        # Logs that were truncated below their checkpointed recovery point, and what writes the
        # checkpoint of all logs. Kafka writes it after the truncations of one fetch.
        self.lowered: set[Flushable] = set()
        self.checkpoint: Callable[[], None] = do_nothing
        # Each with the listeners to call at the end of the flush. A dict finds its first entry by
        # passing those that were removed before it; an OrderedDict does not.
        self.waiting: OrderedDict[Flushable, list[Listener]] = OrderedDict()
        self.running: dict[Flushable, tuple[Flush, list[Listener]]] = {}

    def request(self, log: Flushable) -> None:
        """Flush *log* up to its present end."""
        self.waiting.setdefault(log, [])
        self._start()

    def cut(self, log: Flushable, offset: int) -> None:
        """*log* has been truncated to *offset*, to which a running flush is limited."""
        if log in self.running:
            flush, _ = self.running[log]
            flush.up_to = min(flush.up_to, offset)

    def before_append(self, log: Flushable) -> None:
        """Write the checkpoint if *log* has been lowered since it was written.

        Otherwise a restart after a crash would not check what is appended now.
        """
        if log in self.lowered:
            self.checkpoint()
            self.lowered.clear()

    def after(self, logs: Iterable[Flushable], action: Listener) -> None:
        """Call *action* when the requested flushes of *logs* have ended or failed."""
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
        """Run *flush* in the background, then call *then* with its error or None."""
        if self._durable:
            self._blocking_work.run(flush.run, then)
        else:
            then(None)

    def forget(self, log: Flushable) -> None:
        """Drop the flushes of *log*, which is about to be deleted."""
        self.lowered.discard(log)
        _call_all(self.waiting.pop(log, []))
        _, listeners = self.running.pop(log, (None, []))
        _call_all(listeners)

    def close(self) -> None:
        """Drop all flushes; nothing is called when the running ones end."""
        self.lowered.clear()
        self.waiting.clear()
        self.running.clear()

    def _listeners(self, log: Flushable) -> list[Listener] | None:
        if log in self.waiting:
            return self.waiting[log]
        return self.running[log][1] if log in self.running else None

    def _start(self) -> None:
        for _ in range(len(self.waiting)):  # one that fails waits again
            if len(self.running) >= RUNNING_MAX:
                return
            log = next((each for each in self.waiting if each not in self.running), None)
            if log is None:
                return
            self._flush(log, self.waiting.pop(log))

    def _flush(self, log: Flushable, listeners: list[Listener]) -> None:
        try:
            flush = log.begin_flush()
        except OSError as error:
            self._failed(log, error, listeners)
            return
        self.running[log] = flush, listeners
        self.sync(flush, partial(self._done, log))

    def _done(self, log: Flushable, error: OSError | None) -> None:
        flush, listeners = self.running.pop(log, (None, []))
        if flush is None:
            return
        if error is None:
            log.flushed(flush)
            _call_all(listeners)
        else:
            self._failed(log, error, listeners)
        self._start()

    def _failed(self, log: Flushable, error: OSError, listeners: list[Listener]) -> None:
        """Take the disk offline, or repeat the flush if it found no descriptor."""
        log.disk.fail(log, error)
        if log.disk.failure is not None:
            _call_all(listeners)
        else:
            self.waiting.setdefault(log, []).extend(listeners)
            self._blocking_work.soon(self._start)


def _call_all(listeners: list[Listener]) -> None:
    for listener in listeners:
        listener()
