"""The mark of a class from which others derive: mypyc reads it, and it does nothing at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from mypy_extensions import mypyc_attr as mypyc_attr
except ImportError:  # this package needs no other one
    # mypy_extensions declares the type of the decorator by a class that only type checkers have.
    def mypyc_attr(*_: str, **__: object) -> Callable[[Any], Any]:  # type: ignore[misc]  # as above
        """Return a decorator that changes nothing."""
        return lambda marked: marked
