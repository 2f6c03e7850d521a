"""Ends the aftermath of a step over budget after the two passes of the loop that follow it."""

from __future__ import annotations

import trio

from broker.steps.stalls import Stalls


class Aftermath(trio.abc.Instrument):
    """Clears ``Stalls.aftermath`` in the third pass.

    Without epoll a request is read in the second one: in the first, a task reports that it can be
    read. It is an instrument for three passes only, so that others do not pay for it.
    """

    def __init__(self, stalls: Stalls) -> None:
        self._stalls = stalls
        self._passes_left = 0

    def begin(self) -> None:
        """Count the passes of the loop after a step over budget."""
        self._passes_left = 3
        trio.lowlevel.add_instrument(self)

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 - trio's signature
        """A pass of the loop begins."""
        self._passes_left -= 1
        if not self._passes_left:
            self._stalls.aftermath = None
            trio.lowlevel.remove_instrument(self)
