"""Sends wait records as spans to a collector of OpenTelemetry, in a thread of its own.

    add --> queue, limited --(flush)--> thread: convert, send
     `----- the queue is full: dropped and counted

No request and no other sink waits for the collector. If it does not accept spans, one line is
logged, and the records are dropped and counted until it does.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from broker.common.errors import StartupError
from broker.steps.offload import short_turns
from broker.wait_records.limits import (
    HELD_S,
    LAST_SPANS_S,
    SPAN_RECORDS_AT_ONCE,
    SPAN_RECORDS_MAX,
)
from broker.wait_records.outbox import Lines

log = logging.getLogger("antechamber.records")


class Spans(Protocol):
    """A collector as `antechamber.trace.live.LiveSpans` has it; both methods block."""

    url: str

    @property
    def holds(self) -> bool:
        """Whether records are held, which the next call of `send` sends."""
        ...

    def send(self, records: Sequence[dict[str, Any]], *, is_last: bool = False) -> bool:
        """Send the spans of *records*; returns False if the collector does not accept them."""
        ...

    def stop(self) -> None:
        """Give up what is being sent; may be called in another thread."""
        ...


class SpanSender:
    """A sink for *spans* that holds at most *records_max* records.

    Records that *spans* holds are sent after *held_s* seconds without others. `close` waits at most
    *last_s* seconds until the collector has the rest.
    """

    def __init__(
        self,
        spans: Spans,
        *,
        records_max: int = SPAN_RECORDS_MAX,
        held_s: float = HELD_S,
        last_s: float = LAST_SPANS_S,
    ) -> None:
        self._spans = spans
        self._records_max = records_max
        self._held_s = held_s
        self._last_s = last_s
        self._queue: list[bytes] = []
        self._written = 0
        self._dropped = 0
        self._failing = False
        self._closing = False
        self._bug: Exception | None = None
        self._work = threading.Condition()
        # It may be in a call that blocks when the process ends.
        self._thread = threading.Thread(target=self._run, name="spans", daemon=True)
        self._thread.start()

    def add(self, lines: Lines) -> None:
        """See `broker.wait_records.outbox.Sink`."""
        with self._work:
            space = self._records_max - len(self._queue)
            self._queue += lines[:space]
            self._dropped += max(0, len(lines) - space)

    async def flush(self) -> None:
        """Wake the thread, and raise the exception that it has met, if any."""
        with self._work:
            self._work.notify()
            bug, self._bug = self._bug, None
        if bug is not None:
            raise bug

    def close(self) -> None:
        """Wait for the last spans, unless the collector is not accepting any."""
        with self._work:
            self._closing = True
            self._work.notify()
        self._thread.join(0 if self._failing else self._last_s)
        self._spans.stop()

    def statistics(self) -> dict[str, Any]:
        """See `broker.wait_records.outbox.Sink`."""
        return {
            "sink": "otlp",
            "url": self._spans.url,
            "written": self._written,
            "dropped": self._dropped,
        }

    # ----------------------------------------------------------------------------- the thread

    def _run(self) -> None:
        is_last = False
        while not is_last:
            with self._work:
                if not self._queue and not self._closing:
                    self._work.wait(self._held_s if self._spans.holds else None)
                lines = self._queue[:SPAN_RECORDS_AT_ONCE]
                del self._queue[:SPAN_RECORDS_AT_ONCE]
                is_last = self._closing and not self._queue
            short_turns.run(partial(self._send, lines, is_last))

    def _send(self, lines: Lines, is_last: bool) -> None:
        try:
            records = [json.loads(line) for line in lines]
            accepted = self._spans.send(records, is_last=is_last)
        except Exception as error:
            self._bug, accepted = error, False
        with self._work:
            if accepted:
                self._written += len(lines)
            else:
                self._dropped += len(lines)
        if not accepted and not self._failing and self._bug is None:
            log.warning(
                "--otlp: the collector at %s does not accept spans, they are dropped until it does",
                self._spans.url,
            )
        self._failing = not accepted


def live_spans(url: str, connect: Callable[[str], Spans] | None = None) -> Spans:
    """The collector at *url*; raises `StartupError` without OpenTelemetry or an address."""
    try:
        return (connect or _connect)(url)
    except ModuleNotFoundError as missing:
        raise StartupError(
            f"--otlp: {missing.name} is not installed; pip install 'antechamber[otlp]'"
        ) from None
    except ValueError as error:
        raise StartupError(f"--otlp: {error}") from None


def _connect(url: str) -> Spans:
    from antechamber.trace.live import LiveSpans

    return LiveSpans(url)
