"""A pattern and the position up to which it has been read."""

from __future__ import annotations

import re

from protocol.lazy_pattern import LazyPattern


class Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    @property
    def at_end(self) -> bool:
        """Whether the whole pattern has been read."""
        return self._at >= len(self._pattern)

    @property
    def peek(self) -> str:
        """The next character; the reader must not be at the end."""
        return self._pattern[self._at]

    def next(self) -> str:
        """Read and return the next character; the reader must not be at the end."""
        self._at += 1
        return self._pattern[self._at - 1]

    def starts_with(self, text: str) -> bool:
        """Whether *text* is next."""
        return self._pattern.startswith(text, self._at)

    def take(self, text: str) -> bool:
        """Read *text* if it is next; returns whether it was."""
        found = self.starts_with(text)
        if found:
            self._at += len(text)
        return found

    def skip(self, count: int) -> None:
        """Read *count* characters."""
        self._at += count

    def until(self, text: str) -> str:
        """Read up to *text* or the end, and skip *text*; returns the characters before it."""
        found = self._pattern.find(text, self._at)
        end = len(self._pattern) if found < 0 else found
        piece = self._pattern[self._at : end]
        self._at = min(end + len(text), len(self._pattern))
        return piece

    def matches(self, what: LazyPattern[str]) -> re.Match[str] | None:
        """The match of *what* at the present position, without reading it; None if none."""
        return what.compiled.match(self._pattern, self._at)
