"""An encoder that writes any bytes in one place: what no client library lets one send.

It is slow, reads the schema as it goes, and shares nothing with `protocol.codec` but the classes.
"""

from __future__ import annotations

import struct
from typing import Any, get_args, get_origin

from protocol.fields import fields_of, wire_type
from protocol.schema import Fixed, Sized, Uuid
from tests.extremes.places import Path


def encode_with(message: Any, version: int, path: Path, raw: bytes) -> bytes:
    """The body of *message*, with *raw* as the bytes of the value at *path*."""
    compact = version >= message.__spec__.flexible
    return _Encoder(version, compact, path, raw).struct(message, ())


def length(size: int | None, format_: str, *, compact: bool) -> bytes:
    """The length before text, bytes or an array; of None the length that means null.

    A size that the classic length does not hold is cut to its bits.
    """
    number = -1 if size is None else size
    if compact:
        return uvarint(number + 1)
    return (number % (1 << 8 * struct.calcsize(format_))).to_bytes(struct.calcsize(format_), "big")


def uvarint(value: int) -> bytes:
    """An unsigned varint."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


class _Encoder:
    def __init__(self, version: int, compact: bool, path: Path, raw: bytes) -> None:
        self._version = version
        self._compact = compact
        self._path = path
        self._raw = raw

    def struct(self, it: Any, path: Path) -> bytes:
        plain, tagged = fields_of(type(it), self._version)
        out = b"".join(self._field(field, field.nullable, it, path) for field in plain)
        if not self._compact:
            return out
        bodies = {
            tag: self._field(field, field.nullable and not field.is_struct, it, path)
            for tag, field in tagged.items()
            if getattr(it, field.name) != field.default() or self._is_within((*path, field.name))
        }
        out += uvarint(len(bodies))
        return out + b"".join(
            uvarint(tag) + uvarint(len(body)) + body for tag, body in bodies.items()
        )

    def _is_within(self, path: Path) -> bool:
        return self._path[: len(path)] == path

    def _field(self, field: Any, nullable: bool, it: Any, path: Path) -> bytes:
        return self._value(field.hint, nullable, getattr(it, field.name), (*path, field.name))

    def _value(self, hint: Any, nullable: bool, value: Any, path: Path) -> bytes:
        if path == self._path:
            return self._raw
        if get_origin(hint) is list:
            size = length(None if value is None else len(value), "i", compact=self._compact)
            item, item_nullable = wire_type(get_args(hint)[0])
            return size + b"".join(
                self._value(item, item_nullable, each, (*path, index))
                for index, each in enumerate(value or ())
            )
        match hint:
            case Fixed(format_):
                return struct.pack(f">{format_}", value)
            case Uuid():
                raw: bytes = value.bytes
                return raw
            case Sized(format_, text):
                content = None if value is None else value.encode() if text else bytes(value)
                count = None if content is None else len(content)
                return length(count, format_, compact=self._compact) + (content or b"")
        if not nullable:
            return self.struct(value, path)
        return b"\xff" if value is None else b"\1" + self.struct(value, path)
