"""The options by which a command connects to a broker: its URL, a token, and the CA to trust.

Each of them can be an environment variable; an option has precedence. Errors have no part of a
token.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from antechamber.admin_client import ADMIN_URL_DEFAULT, AdminClient, InvalidArgument
from antechamber.admin_endpoint import TOKEN_VARIABLE
from antechamber.usage_error import UsageError

ADMIN_VARIABLE = "ANTECHAMBER_ADMIN"
TOKEN_FILE_VARIABLE = f"{TOKEN_VARIABLE}_FILE"
CA_VARIABLE = "ANTECHAMBER_ADMIN_CA"


def add_admin_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser of a command."""
    add = parser.add_argument
    add(
        "--admin",
        metavar="URL",
        default=os.environ.get(ADMIN_VARIABLE) or ADMIN_URL_DEFAULT,
        help=f"the broker's admin interface; also by {ADMIN_VARIABLE} (%(default)s)",
    )
    add("--admin-token", metavar="TOKEN", help=f"the bearer token; also by {TOKEN_VARIABLE}")
    add(
        "--admin-token-file",
        metavar="FILE",
        help=f"the file of the bearer token; also by {TOKEN_FILE_VARIABLE}",
    )
    add(
        "--admin-ca",
        metavar="FILE",
        help="the certificates that https trusts, as PEM, by default those of the system; also "
        f"by {CA_VARIABLE}",
    )


def admin_client(given: argparse.Namespace, environment: Mapping[str, str]) -> AdminClient:
    """The client that the options and the environment describe; raises `UsageError`."""
    source, token = _token(given, environment)
    ca = given.admin_ca or environment.get(CA_VARIABLE) or None
    try:
        return AdminClient(given.admin, token=token, ca=ca)
    except InvalidArgument as error:
        names = {"url": "--admin", "token": source, "ca": "--admin-ca"}
        raise UsageError(f"{names[error.argument]}: {error}") from None


def _token(given: argparse.Namespace, environment: Mapping[str, str]) -> tuple[str, str | None]:
    """The name of the option or variable, and the token or None."""
    for token_option, file_option, token, path in (
        ("--admin-token", "--admin-token-file", given.admin_token, given.admin_token_file),
        (
            TOKEN_VARIABLE,
            TOKEN_FILE_VARIABLE,
            environment.get(TOKEN_VARIABLE) or None,
            environment.get(TOKEN_FILE_VARIABLE) or None,
        ),
    ):
        if token is not None and path is not None:
            raise UsageError(f"{token_option}: {file_option} is given too; give one of them")
        if path is not None:
            return file_option, _content(path, file_option)
        if token is not None:
            return token_option, token
    return TOKEN_VARIABLE, None


def _content(path: str, option: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError as error:
        raise UsageError(f"{option}: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{option}: {path} must contain one word, the token") from None
