"""Unsigned varints as Kafka reads and writes them, and the exception for malformed bytes."""

from __future__ import annotations

from typing import Final

_BYTES_MAX: Final = 5
_SIGN: Final = 1 << 31
_INT32_MASK: Final = (1 << 32) - 1


class Malformed(ValueError):  # noqa: N818 - it describes the bytes
    """The bytes do not follow the schema."""


def read_uvarint(buf: memoryview, pos: int) -> tuple[int, int]:
    """Decode a varint of at most five bytes as an int32; returns where it ends. Raises `Malformed`.

    As in Kafka's ByteUtils, redundant bytes are accepted, bits beyond the 32nd are dropped, and
    2**31 and more is a negative number.
    """
    byte = buf[pos]
    if byte < 0x80:
        return byte, pos + 1
    value, shift = byte & 0x7F, 7
    for following in range(pos + 1, pos + _BYTES_MAX):
        byte = buf[following]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            value &= _INT32_MASK
            return (value ^ _SIGN) - _SIGN, following + 1
        shift += 7
    raise Malformed("varint is too long")


def write_uvarint(out: bytearray, value: int) -> None:
    """Append an unsigned varint."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
