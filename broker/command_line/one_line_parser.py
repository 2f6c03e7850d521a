"""A parser of command lines whose errors are one line, without the usage before it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from broker.common.choices import closest, not_one_of
from broker.common.errors import StartupError


class OneLineParser(argparse.ArgumentParser):
    """An argument parser that raises `StartupError`."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The parsed arguments; the error for an unknown option suggests one."""
        given, rest = self.parse_known_args(args, namespace)
        if rest:
            self.error(self._unrecognized(rest))
        return given

    def error(self, message: str) -> NoReturn:
        """Raise `StartupError` with the message, and the command that helps unless it suggests."""
        text = message.removeprefix("argument ")
        if not text.endswith("?"):
            text = f"{text}; {self.prog} --help lists the options"
        raise StartupError(text)

    def _unrecognized(self, words: Sequence[str]) -> str:
        """The reason in one line: it suggests an option for the first one in *words*."""
        unknown = next((word.partition("=")[0] for word in words if word.startswith("-")), "")
        close = closest(unknown, self._option_string_actions)
        if close is not None:
            return f"{unknown!r} is unknown; did you mean {close}?"
        return f"unrecognized arguments: {' '.join(words)}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise `argparse.ArgumentError`, which has the choices, unless *value* is one."""
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, not_one_of(value, list(action.choices)))
