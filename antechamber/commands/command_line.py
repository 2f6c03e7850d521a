"""Options, errors and exit codes of the commands that connect to a running broker.

0   success
1   the broker refuses the request or is not reachable, or the command fails: one line on stderr
2   the arguments are invalid, also by the judgement of the broker: one line on stderr
130 Ctrl-C
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import NoReturn

from antechamber.admin_client import REQUESTS_MAX, AdminClient, AdminError, NoBroker
from antechamber.commands.admin_options import add_admin_options, admin_client
from antechamber.commands.one_line_parser import OneLineParser
from antechamber.commands.refusals import translated
from antechamber.usage_error import CommandFailed, UsageError

EXIT_REFUSED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


class CommandParser(OneLineParser):
    """The parser of a command that connects to a broker.

    *parameters* are the arguments for parameters of requests that have no flag of their name.
    """

    def __init__(
        self, name: str, description: str, parameters: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(name, description)
        add_admin_options(self)
        self._parameters = parameters or {}

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`."""
        raise UsageError(self.with_remedy(message))

    def in_options(self, message: str) -> str:
        """The broker's *message* about a parameter, with the option in its place."""
        return translated(message, self._option_string_actions, self._parameters)


def run(
    parser: CommandParser,
    arguments: Sequence[str],
    do: Callable[[AdminClient, argparse.Namespace], None],
) -> int:
    """Parse *arguments*, call *do* with them, and return the exit code."""
    try:
        given = parser.parse_args(arguments)
        do(admin_client(given, os.environ), given)
    except UsageError as error:
        return _complain(parser, error, EXIT_USAGE)
    except AdminError as error:
        if error.status == HTTPStatus.BAD_REQUEST:
            return _complain(parser, parser.in_options(str(error)), EXIT_USAGE)
        return _complain(parser, f"{error}{_remedy(error)}", EXIT_REFUSED)
    except NoBroker as error:
        return _complain(parser, f"{error}{_remedy(error)}", EXIT_REFUSED)
    except CommandFailed as error:
        return _complain(parser, error, EXIT_REFUSED)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return 0


def limit(text: str) -> int:
    """The number of an option ``--limit``: at most what one response of a broker can have."""
    if not (text.isascii() and text.isdigit() and len(text) < 7 and 0 < int(text) <= REQUESTS_MAX):
        words = f"{text!r} is not a whole number from 1 to {REQUESTS_MAX}"
        raise argparse.ArgumentTypeError(words)
    return int(text)


def _remedy(error: AdminError | NoBroker) -> str:
    """The options or the command that may help."""
    if isinstance(error, AdminError):
        is_login = error.status == HTTPStatus.UNAUTHORIZED
        return "; give --admin-token-file FILE" if is_login else ""
    return "; start antechamber serve, or give --admin URL" if error.is_refused else ""


def _complain(parser: CommandParser, error: Exception | str, code: int) -> int:
    sys.stderr.write(f"{parser.prog}: {error}\n")
    return code
