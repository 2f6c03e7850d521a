"""The format of log records: one line each, and indented lines after it.

Text from clients is escaped, so that it can neither imitate a log line nor control a terminal.
"""

from __future__ import annotations

import logging

from protocol.printable import printable

_CONTINUED = "\n    "


class PrintableFormatter(logging.Formatter):
    """Formats a record as `logging.Formatter` does, and escapes unprintable characters."""

    def format(self, record: logging.LogRecord) -> str:
        """The record's lines; a line break is escaped unless the next line is indented."""
        return _CONTINUED.join(map(printable, super().format(record).split(_CONTINUED)))

    def formatException(self, ei: object) -> str:  # noqa: N802 - logging's name
        """The traceback, each line indented."""
        lines = super().formatException(ei).splitlines()  # type: ignore[arg-type]  # as logging has it
        return "".join(f"    {line}\n" for line in lines).rstrip("\n")
