"""The format of log lines: a record is one line, or further lines that are indented.

Whatever a client has put into a message is escaped, so that it can neither forge a line nor speak
to a terminal.
"""

from __future__ import annotations

import logging

from protocol.printable import printable

_CONTINUED = "\n    "


class PrintableFormatter(logging.Formatter):
    """Formats a record as `logging.Formatter` does, and escapes what is not printable."""

    def format(self, record: logging.LogRecord) -> str:
        """The record's lines; line breaks stay only where the next line is indented."""
        return _CONTINUED.join(map(printable, super().format(record).split(_CONTINUED)))

    def formatException(self, ei: object) -> str:  # noqa: N802 - logging's name
        """The traceback, each line indented."""
        lines = super().formatException(ei).splitlines()  # type: ignore[arg-type]  # as logging has it
        return "".join(f"    {line}\n" for line in lines).rstrip("\n")
