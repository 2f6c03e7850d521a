"""Replaces a method while a run is observed, by a function with the signature of the method."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import ParamSpec, TypeVar
from unittest.mock import patch

P = ParamSpec("P")
R = TypeVar("R")


def replaced(
    owner: type, method: Callable[P, R]
) -> Callable[[Callable[P, R]], AbstractContextManager[object]]:
    """Return a function that replaces *method* of *owner* inside a block.

    It takes the replacement in a call of its own: from one call with both, mypy infers a
    signature that fits either of two different functions.
    """
    return lambda replacement: patch.object(owner, method.__name__, replacement)
