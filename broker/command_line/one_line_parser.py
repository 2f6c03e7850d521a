"""A parser of command lines whose errors are one line, without the usage before it."""

from __future__ import annotations

import argparse
from typing import NoReturn

from broker.common.errors import StartupError


class OneLineParser(argparse.ArgumentParser):
    """An argument parser that raises `StartupError`."""

    def error(self, message: str) -> NoReturn:
        """Raise `StartupError` with the message, and the command that lists the options."""
        message = message.removeprefix("argument ")
        raise StartupError(f"{message}; {self.prog} --help lists the options")
