"""Unsigned varints, and the word for bytes that do not follow the schema."""

from __future__ import annotations

_BYTES_MAX = 5


class Malformed(ValueError):  # noqa: N818 - it describes the bytes
    """The bytes do not follow the schema."""


def read_uvarint(buf: memoryview, pos: int) -> tuple[int, int]:
    """An unsigned varint of at most 32 bits, and where it ends; raises `Malformed`."""
    byte = buf[pos]
    if byte < 0x80:
        return byte, pos + 1
    value, shift = byte & 0x7F, 7
    for following in range(pos + 1, pos + _BYTES_MAX):
        byte = buf[following]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 32:
                break
            return value, following + 1
        shift += 7
    raise Malformed("varint is too long")


def write_uvarint(out: bytearray, value: int) -> None:
    """Append an unsigned varint."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
