"""A pattern and how far it has been read."""

from __future__ import annotations

import re


class Reader:
    """Hands out a pattern piece by piece."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    @property
    def at_end(self) -> bool:
        """Whether all has been read."""
        return self._at >= len(self._pattern)

    @property
    def peek(self) -> str:
        """The next character, which must be there."""
        return self._pattern[self._at]

    def next(self) -> str:
        """Read the next character, which must be there."""
        self._at += 1
        return self._pattern[self._at - 1]

    def starts_with(self, text: str) -> bool:
        """Whether this comes next."""
        return self._pattern.startswith(text, self._at)

    def take(self, text: str) -> bool:
        """Read this if it comes next."""
        found = self.starts_with(text)
        if found:
            self._at += len(text)
        return found

    def skip(self, count: int) -> None:
        """Read so many characters."""
        self._at += count

    def until(self, text: str) -> str:
        """Read up to *text* and over it, or to the end."""
        found = self._pattern.find(text, self._at)
        end = len(self._pattern) if found < 0 else found
        piece = self._pattern[self._at : end]
        self._at = min(end + len(text), len(self._pattern))
        return piece

    def matches(self, what: re.Pattern[str]) -> re.Match[str] | None:
        """What comes next, if it is like that; it is not read yet."""
        return what.match(self._pattern, self._at)
