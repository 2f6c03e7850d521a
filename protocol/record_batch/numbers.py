"""The numbers in a record as Java has them: zig-zag varints (Kafka's ``ByteUtils``) and longs.

A signed number is encoded as an unsigned one, 2n or -2n - 1, in groups of seven bits, the lowest
first; the high bit of a byte is set if another one follows.
"""

from __future__ import annotations

from typing import Final

INT32_BITS: Final = 0xFFFF_FFFF
INT64_BITS: Final = 0xFFFF_FFFF_FFFF_FFFF
_INT64_MIN: Final = -(2**63)
_INT64_MAX: Final = 2**63 - 1

_SHORT: Final = [bytes((number,)) for number in range(0x80)]


class InvalidRecord(Exception):  # noqa: N818 - it names what the bytes are
    """The records of a batch are not well formed."""


def zigzag_at(data: bytes | memoryview, position: int, bits: int = INT32_BITS) -> tuple[int, int]:
    """Decode the varint at *position*; returns the unsigned number and where it ends.

    Bits that exceed the type are dropped, as in Java. Raises `InvalidRecord` for more bytes than a
    number of the type can have, and IndexError where *data* ends within the varint.
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


def read_varint(data: bytes | memoryview, position: int) -> tuple[int, int]:
    """Decode the 64-bit varint at *position*; returns the signed number and where it ends.

    Raises `InvalidRecord` and IndexError as `zigzag_at` does.
    """
    byte = data[position]
    position += 1
    if byte > 127:
        number, position = zigzag_at(data, position - 1, INT64_BITS)
    else:
        number = byte
    return (number >> 1) ^ -(number & 1), position


def varint(value: int) -> bytes:
    """Encode *value*."""
    number = value << 1 if value >= 0 else (-value << 1) - 1
    if number < 0x80:
        return _SHORT[number]
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def int64(number: int) -> int:
    """*number* with the overflow of Java's 64-bit integers."""
    if _INT64_MIN <= number <= _INT64_MAX:
        return number
    return (number + 2**63) % 2**64 + _INT64_MIN
