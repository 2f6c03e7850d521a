"""Handles a command output that cannot be written, as other Unix tools do.

A closed pipe ends the command silently; any other failed write is one line on stderr. The exit code
is 1 in both cases. A character that the encoding of stdout does not have is written as a question
mark.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable

EXIT_UNWRITTEN = 1
_FAILING = ("strict", "surrogateescape")  # error handlers that raise UnicodeEncodeError


class _Closed(io.TextIOBase):
    """Replaces a stdout that was closed before the process started."""

    def write(self, _text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def flush(self) -> None:
        """Do nothing, because nothing is buffered."""


def guarded(name: str, command: Callable[[], int]) -> int:
    """Run *command*, flush its output, and return the exit code."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open until the process ends
    if sys.stdout is None:
        sys.stdout = _Closed()
    _replace_unencodable()
    try:
        code = _run(command)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard()
        return EXIT_UNWRITTEN
    except OSError as error:
        _discard()
        sys.stderr.write(f"{name}: write error: {error.strerror}\n")
        return EXIT_UNWRITTEN
    return code


def _replace_unencodable() -> None:
    """Make stdout write a question mark for a character that its encoding does not have."""
    # "surrogateescape" is Python's choice for the locale C.
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in _FAILING:
        sys.stdout.reconfigure(errors="replace")


def _run(command: Callable[[], int]) -> int:
    try:
        return command()
    except SystemExit as ended:  # argparse has printed a help text
        return ended.code if isinstance(ended.code, int) else 0


def _discard() -> None:
    """Redirect stdout, so that Python's flush at exit does not fail again."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is not a file
        sys.stdout = _Closed()
