"""Readers and writers that exist before a message is first read or written.

Message modules of a compiled build contain them (`compiling.messages`); a pure build has none.
A reader of these has the bytes twice: to read numbers and text from, and to return views into.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from protocol.wire import Write

T = TypeVar("T")

ReadyReader = Callable[[bytes, memoryview, int], tuple[Any, int]]

# By message class and version.
READERS: Final[dict[tuple[Any, int], ReadyReader]] = {}
WRITERS: Final[dict[tuple[Any, int], Write]] = {}


def not_none(value: T | None) -> T:
    """Return *value*, which may be None in other versions; raises TypeError if it is None."""
    if value is None:
        raise TypeError("None where a value is required")
    return value
