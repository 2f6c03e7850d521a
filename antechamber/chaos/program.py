"""Runs the program under test once, with a time limit; its processes end with the run."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import IO, NamedTuple

from antechamber.child import detached, end_tree
from antechamber.usage_error import UsageError

_OUTPUT_BYTES_MAX = 8192
_CANNOT_START = "cannot start {!r}: {}; after --against comes a program and its arguments"


class Outcome(NamedTuple):
    """How a run ended: its exit code, a negative signal, or None at the time limit."""

    exit_code: int | None
    # How long it ran; the time limit if it did not end.
    seconds: float
    # The last 8 KiB of its stdout and stderr.
    output: str = ""

    @property
    def failed(self) -> bool:
        """Whether the run counts as a failure."""
        return self.exit_code != 0

    @property
    def description(self) -> str:
        """``exit code 1``, ``SIGSEGV`` or ``no end within 60 s``."""
        if self.exit_code is None:
            return f"no end within {self.seconds:g} s"
        if self.exit_code < 0:
            return _signal_name(-self.exit_code)
        return f"exit code {self.exit_code}"

    def last_lines(self, lines_max: int) -> list[str]:
        """The end of its output, without the control characters of terminals."""
        lines = self.output.splitlines()[-lines_max:]
        return ["".join(c if c.isprintable() else " " for c in line).rstrip() for line in lines]


def run_program(
    words: Sequence[str],
    variables: Mapping[str, str],
    timeout_s: float,
    output: IO[bytes] | None = None,
) -> Outcome:
    """Run a program to its end, with additional environment *variables*.

    Its stdin is empty. Its stdout and stderr go to *output*, by default to the result. All its
    processes are ended when it ends, after *timeout_s*, and when this function raises. Raises
    `UsageError` if it cannot be started.
    """
    with tempfile.TemporaryFile("w+b") as file:
        begin = monotonic()
        try:
            child = subprocess.Popen(  # noqa: S603 - the user's own program, no shell
                words,
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=output or file,
                stderr=subprocess.STDOUT,
                **detached(),
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(_CANNOT_START.format(words[0], reason)) from None
        try:
            exit_code: int | None = child.wait(timeout_s)
            seconds = monotonic() - begin
        except subprocess.TimeoutExpired:
            exit_code, seconds = None, timeout_s
        finally:
            end_tree(child)
        return Outcome(exit_code, seconds, _last(file))


def _last(file: IO[bytes]) -> str:
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - _OUTPUT_BYTES_MAX))
    return file.read().decode(errors="replace")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
