"""The tokens of the admin interface, from options, files and environment variables.

An option has precedence over the environment. Errors have no part of a token.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from broker.common.errors import StartupError
from broker.security.admin_tokens import AdminTokens

_FULL, _READ_ONLY = "--admin-token", "--admin-read-only-token"


def add_token_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser of ``antechamber serve``."""
    for option, what in (
        (_FULL, "bearer token of admin requests"),
        (_READ_ONLY, "bearer token of admin requests that change nothing"),
    ):
        parser.add_argument(
            option,
            metavar="TOKEN",
            help=f"{what}; also by {_variable(option)}",
        )
        parser.add_argument(
            f"{option}-file",
            metavar="FILE",
            help=f"file with the {what}; also by {_variable(option)}_FILE",
        )


def admin_tokens(given: argparse.Namespace, environment: Mapping[str, str]) -> AdminTokens:
    """The tokens that the options or else the environment give; raises `StartupError`."""
    options = vars(given)
    full, read_only = (
        _from_options(options, option) or _from_environment(environment, option)
        for option in (_FULL, _READ_ONLY)
    )
    if full is not None and full == read_only:
        raise StartupError(f"{_READ_ONLY}: it is equal to {_FULL}; give another token")
    return AdminTokens(full, read_only)


def _from_options(options: Mapping[str, str | None], option: str) -> str | None:
    name = option.strip("-").replace("-", "_")
    return _token(options[name], options[f"{name}_file"], option, f"{option}-file")


def _from_environment(environment: Mapping[str, str], option: str) -> str | None:
    name = _variable(option)
    token, path = environment.get(name) or None, environment.get(f"{name}_FILE") or None
    return _token(token, path, name, f"{name}_FILE")


def _variable(option: str) -> str:
    return f"ANTECHAMBER{option.upper().replace('--', '_').replace('-', '_')}"


def _token(token: str | None, path: str | None, option: str, file_option: str) -> str | None:
    """The token, or the content of the file; None if neither is given."""
    if token is not None and path is not None:
        raise StartupError(f"{option}: {file_option} is given too; give one of them")
    if path is not None:
        return _checked(_content(path, file_option), f"{file_option}: {path} must contain")
    return None if token is None else _checked(token, f"{option}: it must be")


def _content(path: str, option: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not ASCII"
        raise StartupError(f"{option}: cannot read {path}: {reason}") from None


def _checked(token: str, what: str) -> str:
    if not (token and token.isascii() and token.isprintable()) or " " in token:
        raise StartupError(f"{what} one word of ASCII characters, the token")
    return token
