"""Reads DER (X.690) as far as certificates need it."""

from __future__ import annotations

from typing import NamedTuple

_LONG_FORM = 0x80


class NotDer(ValueError):  # noqa: N818 - it names the condition
    """Bytes that are not the expected DER."""


class Value(NamedTuple):
    """A value: its tag, its content, and all of its bytes."""

    tag: int
    content: bytes
    encoded: bytes


class DerReader:
    """Reads the values in *data* one after the other; raises `NotDer`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def has_more(self) -> bool:
        """Whether a value is left."""
        return self._at < len(self._data)

    def tag(self) -> int:
        """The tag of the next value, or -1 at the end."""
        return self._data[self._at] if self.has_more else -1

    def next(self) -> Value:
        """The next value."""
        data, at = self._data, self._at
        if len(data) < at + 2:
            raise NotDer("it is too short")
        tag, size, begin = data[at], data[at + 1], at + 2
        if size & _LONG_FORM:
            digits = size - _LONG_FORM
            size = int.from_bytes(data[begin : begin + digits], "big")
            begin += digits
        if len(data) < begin + size:
            raise NotDer("it is too short")
        self._at = begin + size
        return Value(tag, data[begin : self._at], data[at : self._at])

    def enter(self) -> DerReader:
        """A reader of the values in the next value."""
        return DerReader(self.next().content)

    def octets(self) -> bytes:
        """The content of the next value."""
        return self.next().content

    def skip(self) -> None:
        """Skip the next value."""
        self.next()
