"""Ctrl-C while the broker is imported: it ends the process at once."""

from __future__ import annotations

import os
import signal

EXIT_INTERRUPTED = 130


def end_at_interrupt() -> None:
    """Make SIGINT end the process with `EXIT_INTERRUPTED`, until `stop_signals` receives it.

    Python would raise KeyboardInterrupt. Imports run callbacks of weak references, whose exceptions
    are printed and dropped, so the broker would start nevertheless. A SIGINT that is ignored
    remains ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(_number: int, _frame: object) -> None:
    os._exit(EXIT_INTERRUPTED)  # nothing is open that has to be closed or removed
