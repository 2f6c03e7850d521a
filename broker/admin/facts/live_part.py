"""A part of what the live page shows: rows, of which only the first are sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LivePart:
    """``rows`` are made one by one, since each takes time; ``count`` is the number of all rows.

    The state may change between two rows, and the iterator must allow that. ``count`` is None if
    the broker does not keep such rows.
    """

    count: int | None
    rows: Iterator[dict[str, Any]]
