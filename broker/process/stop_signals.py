"""The signals that stop the broker: SIGTERM, and SIGINT, which is Ctrl-C in a terminal."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import trio

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stop_signals() -> Iterator[AsyncIterator[int]]:
    """Receive the signals in the block; those that it has not read are ignored, and all later ones.

    The process ends after the block. Trio would otherwise repeat what has not been read, and a
    second Ctrl-C would change the exit code.
    """
    is_open = False

    def ignore(_number: int, _frame: object) -> None:
        if not is_open:
            raise KeyboardInterrupt

    for number in _SIGNALS:
        signal.signal(number, ignore)
    with trio.open_signal_receiver(*_SIGNALS) as received:
        is_open = True
        yield received
