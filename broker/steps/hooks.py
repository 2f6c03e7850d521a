"""An instrument of trio that consists of functions, because a compiled class cannot derive from it.

trio calls each function directly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import trio


class _Hooks(trio.abc.Instrument):
    def __init__(self, functions: dict[str, Callable[..., None]]) -> None:
        vars(self).update(functions)


@contextmanager
def hooked(**functions: Callable[..., None]) -> Iterator[None]:
    """Have trio call *functions*, named as the methods of `trio.abc.Instrument`, in the context."""
    hooks = _Hooks(functions)
    trio.lowlevel.add_instrument(hooks)
    try:
        yield
    finally:
        trio.lowlevel.remove_instrument(hooks)
