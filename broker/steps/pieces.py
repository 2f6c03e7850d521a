"""Pieces of many items, between which other tasks may run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

# A yield for each item would take a noticeable part of the time of short work.
PIECE_ITEMS: Final = 32

Item = TypeVar("Item")


def pieces(items: Iterable[Item]) -> Iterator[list[Item]]:
    """*items* in lists of up to `PIECE_ITEMS`, each of which is made when it is needed."""
    remaining = iter(items)
    while piece := list(islice(remaining, PIECE_ITEMS)):
        yield piece
