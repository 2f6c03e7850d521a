"""The error of a command whose arguments are invalid."""

from __future__ import annotations


class UsageError(Exception):
    """The arguments are invalid: one line that names the argument and the allowed values."""


class CommandFailed(Exception):  # noqa: N818 - the name states the problem
    """The command cannot be completed, and its arguments are valid."""
