"""Sends the spans of a broker's requests as they end; `serve --otlp` calls it in a thread.

The record of a request that was released may come before that of the request that released it. It
is held until the next records come, so that its link can be made.
"""

from __future__ import annotations

from collections.abc import Sequence

from antechamber.trace.otlp import Collector
from antechamber.trace.releases import awaits_releaser, names
from antechamber.trace.spans import Record
from antechamber.usage_error import CommandFailed


class LiveSpans:
    """A collector at *url*; raises ``ValueError`` if that is not an address."""

    def __init__(self, url: str) -> None:
        self._collector = Collector(url)
        self.url = self._collector.url
        self._before: Sequence[Record] = ()
        self._held: Sequence[Record] = ()

    def send(self, records: Sequence[Record], *, is_last: bool = False) -> bool:
        """Send the spans of *records* and of those that were held; False if they are refused.

        Records of a request that is not known yet are held for one call, unless this one
        *is_last*.
        """
        known = names([*self._before, *self._held, *records])
        sent, waiting = [*self._held], list[Record]()
        for each in records:
            holding = not is_last and awaits_releaser(each, known)
            (waiting if holding else sent).append(each)
        before, self._before, self._held = self._before, sent, waiting
        try:
            self._collector.send(sent, [*before, *waiting])
        except CommandFailed:
            return False
        return True

    @property
    def holds(self) -> bool:
        """Whether records are held, which the next call of `send` sends."""
        return bool(self._held)

    def stop(self) -> None:
        """Give up what is being sent."""
        self._collector.stop()
