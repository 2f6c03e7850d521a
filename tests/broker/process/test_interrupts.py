"""Tests of `broker.process.interrupts`."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from broker.process.interrupts import end_at_interrupt, raise_at_interrupt

Handler = Callable[..., object] | signal.Handlers

# An exception in the callback of a weak reference is printed and dropped, as during an import.
_PROGRAM = """
import signal, weakref
from broker.process.interrupts import end_at_interrupt

class Thing: pass

signal.signal(signal.SIGINT, signal.{handler})
end_at_interrupt()
thing = Thing()
reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
del thing
print("continued")
"""


def ended(handler: str) -> subprocess.CompletedProcess[str]:
    """Run the program with a handler of SIGINT."""
    code = _PROGRAM.format(handler=handler)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_an_interrupt_in_a_callback_ends_the_process() -> None:
    """The exit code is 130, and nothing is printed."""
    process = ended("default_int_handler")

    assert (process.returncode, process.stdout, process.stderr) == (130, "", "")


def test_an_ignored_interrupt_remains_ignored() -> None:
    """A shell that starts a command in the background ignores it."""
    process = ended("SIG_IGN")

    assert (process.returncode, process.stdout, process.stderr) == (0, "continued\n", "")


@pytest.mark.parametrize("before", [signal.default_int_handler, signal.SIG_IGN])
def test_an_interrupt_is_raised_again(before: Handler) -> None:
    """The handler is that of Python again; an ignored SIGINT remains ignored."""
    previous = signal.signal(signal.SIGINT, before)
    try:
        end_at_interrupt()
        raise_at_interrupt()
        assert signal.getsignal(signal.SIGINT) is before
    finally:
        signal.signal(signal.SIGINT, previous)
