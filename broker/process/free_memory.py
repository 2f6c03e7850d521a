"""Returning memory to the system that the C library keeps for buffers to come (``malloc_trim``).

Large buffers of connections are freed when these end, but glibc keeps most of their memory: what
150 clients with a megabyte each have taken would stay with the process for good.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

RELEASE_INTERVAL_MS = 5_000


def release_of(library: object) -> Callable[[int], object] | None:
    """The function of a C library that does it; None if it has none, as on macOS and musl."""
    return getattr(library, "malloc_trim", None)


_release = release_of(ctypes.CDLL(None))


def release_free_memory() -> None:
    """Return what is free to the system; takes about a millisecond for a hundred megabytes."""
    if _release is not None:
        _release(0)
