"""Values that are made once, also if several threads request them at the same time.

`functools.cache` makes such a value once per thread, and the threads then have different ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from threading import Lock
from typing import TypeVar

T = TypeVar("T")


def once(make: Callable[[], T]) -> Callable[[], T]:
    """Decorate a function without parameters: later calls return the result of the first one."""
    lock, made = Lock(), cache(make)

    @wraps(make)
    def get() -> T:
        with lock:
            return made()

    return get
