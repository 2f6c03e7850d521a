"""The parser of a command that needs no broker."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

EXIT_USAGE = 2


class LocalParser(argparse.ArgumentParser):
    """Errors are one line, after which the process ends with 2."""

    def __init__(self, name: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=f"antechamber {name}",
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print a help text; argparse ignores a failed write, this method raises."""
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        """End the process with the message."""
        text = message.removeprefix("argument ")
        self.exit(EXIT_USAGE, f"{self.prog}: {text}; {self.prog} --help lists the options\n")
