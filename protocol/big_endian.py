"""Reads numbers of fixed width from bytes, the highest octet first.

The codecs of a compiled build call these functions, which then take less time than `struct`. All
raise IndexError where the bytes end within the number.
"""

from __future__ import annotations

from uuid import UUID

from protocol.codec_source import UUID_BYTES, known_uuids


def boolean_at(raw: bytes, pos: int) -> bool:
    """Any octet but 0 is true."""
    return raw[pos] != 0


def int8_at(raw: bytes, pos: int) -> int:
    """A signed number of 8 bits."""
    return (raw[pos] ^ 0x80) - 0x80


def int16_at(raw: bytes, pos: int) -> int:
    """A signed number of 16 bits."""
    return ((raw[pos] << 8 | raw[pos + 1]) ^ 0x8000) - 0x8000


def uint16_at(raw: bytes, pos: int) -> int:
    """An unsigned number of 16 bits."""
    return raw[pos] << 8 | raw[pos + 1]


def int32_at(raw: bytes, pos: int) -> int:
    """A signed number of 32 bits."""
    number = raw[pos] << 24 | raw[pos + 1] << 16 | raw[pos + 2] << 8 | raw[pos + 3]
    return (number ^ 0x8000_0000) - 0x8000_0000


def int64_at(raw: bytes, pos: int) -> int:
    """A signed number of 64 bits."""
    low = raw[pos + 4] << 24 | raw[pos + 5] << 16 | raw[pos + 6] << 8 | raw[pos + 7]
    return int32_at(raw, pos) << 32 | low


def uuid_at(raw: bytes, pos: int) -> UUID:
    """Sixteen octets."""
    octets = raw[pos : pos + UUID_BYTES]
    if len(octets) < UUID_BYTES:
        raise IndexError("a UUID extends beyond the end")
    return known_uuids[octets]
