"""A parser of options whose errors are one line; the commands derive their parsers from it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from antechamber.unknown_words import unknown_word, unrecognized

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class OneLineParser(argparse.ArgumentParser):
    """The parser of ``antechamber`` *name*."""

    def __init__(self, name: str, description: str, epilog: str | None = None) -> None:
        super().__init__(
            prog=f"antechamber {name}",
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def with_remedy(self, message: str) -> str:
        """An error of argparse in one line, with the command that helps unless it suggests."""
        text = message.removeprefix("argument ")
        return text if text.endswith("?") else f"{text}; {self.prog} --help lists the options"

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The parsed arguments; the error for an unknown option suggests one."""
        given, rest = self._parsed(args, namespace)
        if rest:
            self.error(unrecognized(rest, self._option_string_actions))
        return given

    def _parsed(self, args: Any, namespace: Any) -> tuple[Any, list[str]]:
        """The parsed arguments, and the words that are none."""
        return self.parse_known_args(args, namespace)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print a help text; argparse ignores a failed write, this method raises."""
        (file or sys.stderr).write(message)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise `argparse.ArgumentError`, which suggests a choice, unless *value* is one."""
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, unknown_word(str(value), action.choices))
