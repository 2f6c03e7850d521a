"""The parser of a command that needs no broker."""

from __future__ import annotations

from typing import NoReturn

from antechamber.commands.one_line_parser import OneLineParser

EXIT_USAGE = 2


class LocalParser(OneLineParser):
    """Errors are one line, after which the process ends with 2."""

    def error(self, message: str) -> NoReturn:
        """End the process with the message."""
        self.exit(EXIT_USAGE, f"{self.prog}: {self.with_remedy(message)}\n")
