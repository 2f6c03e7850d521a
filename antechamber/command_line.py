"""What the commands that talk to a running broker have in common: options, errors, exit codes.

0   done
1   the broker refuses, or there is none: one line on stderr
2   the command makes no sense: one line on stderr
130 Ctrl-C
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from antechamber.admin_client import ADMIN_URL_DEFAULT, AdminClient, AdminError, NoBroker

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

ADMIN_VARIABLE = "ANTECHAMBER_ADMIN"
TOKEN_FILE_VARIABLE = "ANTECHAMBER_ADMIN_TOKEN_FILE"  # noqa: S105 - the name of a variable
EXIT_REFUSED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


class UsageError(Exception):
    """The command makes no sense: one line that names what was given and what is allowed."""


class CommandParser(argparse.ArgumentParser):
    """Parses a command that talks to a broker; its complaints are one line."""

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
            help=f"the broker's admin interface, also by {ADMIN_VARIABLE} (%(default)s)",
        )
        self.add_argument(
            "--admin-token-file",
            metavar="FILE",
            type=Path,
            default=os.environ.get(TOKEN_FILE_VARIABLE) or None,
            help=f"holds the bearer token, where one is needed; also by {TOKEN_FILE_VARIABLE}",
        )

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print a help; argparse itself would keep quiet about one that cannot be written."""
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise UsageError(f"{message.removeprefix('argument ')}; {self.prog} --help says more")


def run(
    parser: CommandParser,
    arguments: Sequence[str],
    do: Callable[[AdminClient, argparse.Namespace], None],
) -> int:
    """Parse *arguments*, *do* what they ask for, and return the exit code."""
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
        raise UsageError(f"--admin-token-file: {path} must hold one word, the token") from None


def _complain(parser: CommandParser, error: Exception, code: int) -> int:
    sys.stderr.write(f"{parser.prog}: {error}\n")
    return code
