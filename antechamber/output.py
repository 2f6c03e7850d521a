"""What becomes of a command whose output cannot be written, as in other tools of Unix.

A reader that has seen enough ends the command without a word; any other failed write is one line on
stderr. Both have exit code 1.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable

EXIT_UNWRITTEN = 1


class _Closed(io.TextIOBase):
    """Stands for a stdout that was closed before the process was started."""

    def write(self, _text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def flush(self) -> None:
        """There is nothing to flush."""


def guarded(name: str, command: Callable[[], int]) -> int:
    """Run *command*, write all that it has said, and return the exit code."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives
    if sys.stdout is None:
        sys.stdout = _Closed()
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


def _run(command: Callable[[], int]) -> int:
    try:
        return command()
    except SystemExit as ended:  # argparse has shown a help
        return ended.code if isinstance(ended.code, int) else 0


def _discard() -> None:
    """Let Python find nothing to complain about when it flushes in the end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # it is no file
        sys.stdout = _Closed()
