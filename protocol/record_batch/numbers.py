"""The zig-zag numbers in a record, of any length, as Java reads them (``ByteUtils``)."""

from __future__ import annotations

INT32_BITS = 0xFFFF_FFFF
INT64_BITS = 0xFFFF_FFFF_FFFF_FFFF


class InvalidRecord(Exception):  # noqa: N818 - it names what the bytes are
    """The records of a batch are not well formed."""


def zigzag_at(data: bytes | memoryview, position: int, bits: int = INT32_BITS) -> tuple[int, int]:
    """The number at *position*, still in zig-zag, and where it ends.

    Bits beyond the type's are dropped, as Java drops them. Raises `InvalidRecord`, IndexError.
    """
    number = shift = 0
    while True:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 128:
            return number & bits, position
        shift += 7
        if bits >> shift == 0:
            raise InvalidRecord("a number is longer than its type")
