"""Ctrl-C while the broker is imported: it ends the process at once."""

from __future__ import annotations

import os
import signal

EXIT_INTERRUPTED = 130


def end_at_interrupt() -> None:
    """Make SIGINT end the process with `EXIT_INTERRUPTED`.

    This ends with `stop_signals` or `raise_at_interrupt`. Python would raise KeyboardInterrupt.
    Imports run callbacks of weak references, whose exceptions are printed and dropped, so the
    broker would start nevertheless. A SIGINT that is ignored remains ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_at_interrupt() -> None:
    """Make SIGINT raise KeyboardInterrupt again: from now on there is something to remove."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_number: int, _frame: object) -> None:
    os._exit(EXIT_INTERRUPTED)  # nothing is open that has to be closed or removed
