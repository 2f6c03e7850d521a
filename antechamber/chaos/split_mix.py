"""Numbers from a seed by SplitMix64, which are the same on every system and in every version.

Python's `random` guarantees this for `random()` only, and not for `choice` or `randrange`.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

SEED_MAX = 2**64 - 1
_MASK = SEED_MAX
_INCREMENT = 0x9E3779B97F4A7C15

Item = TypeVar("Item")


class SplitMix:
    """A sequence of numbers that is determined by *seed*, from 0 to `SEED_MAX`."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next number, from 0 to 2**64 - 1."""
        self._state = (self._state + _INCREMENT) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def between(self, first: int, last: int) -> int:
        """Return a whole number from *first* to *last*, each equally likely."""
        count = last - first + 1
        # Numbers above the last multiple of *count* would make the first results likelier.
        limit = (_MASK + 1) // count * count
        while (number := self.next()) >= limit:
            pass
        return first + number % count

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one of *items*; an item that occurs twice is twice as likely."""
        return items[self.between(0, len(items) - 1)]

    def chance(self, percent: int) -> bool:
        """Return True with this probability."""
        return self.between(1, 100) <= percent
