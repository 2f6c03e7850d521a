"""Returns free memory to the system (``malloc_trim``).

The buffers of a connection are freed when it closes, but glibc keeps most of their memory for later
allocations: the process would keep the memory of 150 clients with a megabyte each.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

RELEASE_INTERVAL_MS = 5_000


def release_of(library: object) -> Callable[[int], object] | None:
    """The ``malloc_trim`` of a C library; None if it has none, as on macOS, musl and Windows."""
    return getattr(library, "malloc_trim", None)


# Windows cannot open the process itself as a library.
_release = None if sys.platform == "win32" else release_of(ctypes.CDLL(None))


def release_free_memory() -> None:
    """Return free memory to the system; takes about 1 ms for 100 MB."""
    if _release is not None:
        _release(0)
