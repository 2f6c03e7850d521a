"""The signals that stop the broker: SIGTERM, SIGINT (Ctrl-C), and SIGHUP when a terminal closes.

These are the signals that stop Kafka in order.
"""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import trio


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

    numbers = _signals()
    for number in numbers:
        signal.signal(number, ignore)
    with trio.open_signal_receiver(*numbers) as received:
        is_open = True
        yield received


def _signals() -> list[signal.Signals]:
    """SIGHUP is not among them on Windows, and under ``nohup``, which ignores it."""
    numbers = [signal.SIGTERM, signal.SIGINT]
    hang_up = getattr(signal, "SIGHUP", None)
    if hang_up is not None and signal.getsignal(hang_up) != signal.SIG_IGN:
        numbers.append(hang_up)
    return numbers
