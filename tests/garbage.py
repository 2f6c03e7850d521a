"""What is in memory while no garbage is collected: objects in a cycle of references stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Collect the garbage that exists, and none in the context."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def number_of(*kinds: type) -> int:
    """The number of objects of *kinds* in memory."""
    return sum(isinstance(each, kinds) for each in gc.get_objects())
