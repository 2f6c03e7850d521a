"""Options, errors and exit codes of the commands that connect to a running broker.

0   success
1   the broker refuses the request or is not reachable: one line on stderr
2   the arguments are invalid: one line on stderr
130 Ctrl-C
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from antechamber.admin_client import (
    ADMIN_URL_DEFAULT,
    REQUESTS_MAX,
    AdminClient,
    AdminError,
    NoBroker,
)

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

ADMIN_VARIABLE = "ANTECHAMBER_ADMIN"
TOKEN_FILE_VARIABLE = "ANTECHAMBER_ADMIN_TOKEN_FILE"  # noqa: S105 - the name of a variable
EXIT_REFUSED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


class UsageError(Exception):
    """The arguments are invalid: one line that names the argument and the allowed values."""


class CommandParser(argparse.ArgumentParser):
    """The parser of a command that connects to a broker; errors are one line."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(
            prog=f"antechamber {name}",
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.add_argument(
            "--admin",
            metavar="URL",
            default=os.environ.get(ADMIN_VARIABLE) or ADMIN_URL_DEFAULT,
            help=f"the broker's admin interface; also by {ADMIN_VARIABLE} (%(default)s)",
        )
        self.add_argument(
            "--admin-token-file",
            metavar="FILE",
            type=Path,
            default=os.environ.get(TOKEN_FILE_VARIABLE) or None,
            help=f"the file of the bearer token; also by {TOKEN_FILE_VARIABLE}",
        )

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print a help text; argparse ignores a failed write, this method raises."""
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`."""
        raise UsageError(
            f"{message.removeprefix('argument ')}; {self.prog} --help lists the options"
        )


def run(
    parser: CommandParser,
    arguments: Sequence[str],
    do: Callable[[AdminClient, argparse.Namespace], None],
) -> int:
    """Parse *arguments*, call *do* with them, and return the exit code."""
    try:
        given = parser.parse_args(arguments)
        do(_client(given), given)
    except UsageError as error:
        return _complain(parser, error, EXIT_USAGE)
    except (AdminError, NoBroker) as error:
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


def _client(given: argparse.Namespace) -> AdminClient:
    try:
        return AdminClient(given.admin, token=_token(given.admin_token_file))
    except ValueError as error:
        raise UsageError(f"--admin: {error}") from None


def _token(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError as error:
        raise UsageError(f"--admin-token-file: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--admin-token-file: {path} must contain one word, the token") from None


def _complain(parser: CommandParser, error: Exception, code: int) -> int:
    sys.stderr.write(f"{parser.prog}: {error}\n")
    return code
