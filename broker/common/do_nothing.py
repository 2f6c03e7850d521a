"""A callback that does nothing: the default where a callback is optional."""

from __future__ import annotations


def do_nothing(*_arguments: object) -> None:
    """Do nothing."""
