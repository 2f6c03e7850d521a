"""Which build of the broker runs."""

from __future__ import annotations


def running_build() -> str:
    """``compiled`` if this module is an extension module, as the hot ones then are, or ``pure``."""
    return "pure" if __file__.endswith((".py", ".pyc")) else "compiled"
