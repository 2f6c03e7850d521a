"""Divides ciphertext into pieces of a few records, which OpenSSL processes in one call.

The time of OpenSSL depends on the number of records: one of a few bytes takes 2 µs, a change of
keys 50 µs, and it reads any number of those before the next plaintext.
"""

from __future__ import annotations

from typing import Final

# Of the largest size they take less than a millisecond, with changes of keys 2 ms.
RECORDS_AT_ONCE: Final = 32

_HEADER_BYTES: Final = 5  # type, version, and in the last two the size of the rest


class RecordPieces:
    """Finds the ends of the records of one stream; ``left`` is how many more may be processed."""

    __slots__ = ("_body_bytes", "_header", "left")

    def __init__(self) -> None:
        self.left = RECORDS_AT_ONCE
        self._header = b""  # the part of it that has arrived
        self._body_bytes = 0  # what is left of the present record

    def take(self, ciphertext: memoryview) -> int:
        """The size of the next piece, which has up to ``left`` records or the rest of them."""
        position, size, left = self._body_bytes, len(ciphertext), self.left
        while left and position < size:
            begin = position + _HEADER_BYTES
            if begin <= size and not self._header:
                position = begin + (ciphertext[begin - 2] << 8 | ciphertext[begin - 1])
                left -= 1
                continue
            part = ciphertext[position : begin - len(self._header)]
            position += len(part)
            self._header += part
            if len(self._header) == _HEADER_BYTES:
                position += int.from_bytes(self._header[-2:], "big")
                self._header = b""
                left -= 1
        self.left = left
        self._body_bytes = max(0, position - size)
        return min(position, size)
