"""SIGHUP as in a terminal: under `nohup` a process ignores it, and so do those that it starts."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def default_hang_up() -> Iterator[None]:
    """Handle SIGHUP by default; does nothing on Windows, which has no SIGHUP."""
    number = getattr(signal, "SIGHUP", None)
    if number is None:
        yield
        return
    before = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)
