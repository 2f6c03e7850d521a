"""Which build of the broker runs."""

from __future__ import annotations


def running_build() -> str:
    """``compiled`` if this module, like all hot modules, is an extension module; else ``pure``."""
    return "pure" if __file__.endswith((".py", ".pyc")) else "compiled"
