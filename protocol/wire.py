"""The wire's small change: fixed-width values, lengths, text, bytes, UUIDs and arrays.

Each function makes a reader and a writer. A reader takes the buffer and a position and returns the
value and the position after it; a writer appends to an `Output`. What a reader cannot read it says
with `Malformed`, `IndexError` or `struct.error`; `protocol.codec.decode` makes one of them all.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct, calcsize, pack, unpack_from
from typing import Any
from uuid import UUID

from protocol.output import Output
from protocol.schema import Sized

Read = Callable[[memoryview, int], tuple[Any, int]]
Write = Callable[[Output, Any], None]

_VARINT_BYTES_MAX = 5
_UUIDS_KEPT = 1024


class Malformed(ValueError):  # noqa: N818 - it describes the bytes
    """The bytes do not follow the schema."""


def read_uvarint(buf: memoryview, pos: int) -> tuple[int, int]:
    """An unsigned varint of at most 32 bits."""
    byte = buf[pos]
    if byte < 0x80:
        return byte, pos + 1
    value, shift = byte & 0x7F, 7
    for following in range(pos + 1, pos + _VARINT_BYTES_MAX):
        byte = buf[following]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 32:
                break
            return value, following + 1
        shift += 7
    raise Malformed("varint is too long")


def write_uvarint(out: Output, value: int) -> None:
    """Append an unsigned varint."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def fixed(fmt: str) -> tuple[Read, Write]:
    """One value of fixed width."""
    packer = Struct(">" + fmt)
    unpack, pack, size = packer.unpack_from, packer.pack, packer.size

    def read(buf: memoryview, pos: int) -> tuple[Any, int]:
        return unpack(buf, pos)[0], pos + size

    def write(out: Output, value: Any) -> None:
        out += pack(value)

    return read, write


def length(fmt: str, compact: bool) -> tuple[Read, Write]:
    """Lengths: classic ones are big-endian and null is -1; compact ones are varints plus one."""
    return (_read_compact_length, _write_compact_length) if compact else fixed(fmt)


def _read_compact_length(buf: memoryview, pos: int) -> tuple[int, int]:
    byte = buf[pos]
    if byte < 0x80:
        return byte - 1, pos + 1
    value, pos = read_uvarint(buf, pos)
    return value - 1, pos


def _write_compact_length(out: Output, value: int) -> None:
    if value < 0x7F:
        out.append(value + 1)
    else:
        write_uvarint(out, value + 1)


def uuids() -> tuple[Read, Write]:
    """Sixteen bytes; a broker sees the same few again and again, so their objects are kept."""
    known: dict[bytes, UUID] = {}
    unpack = Struct("16s").unpack_from

    def read(buf: memoryview, pos: int) -> tuple[UUID, int]:
        (raw,) = unpack(buf, pos)
        value = known.get(raw)
        if value is None:
            if len(known) >= _UUIDS_KEPT:
                known.clear()
            value = known[raw] = UUID(bytes=raw)
        return value, pos + 16

    def write(out: Output, value: UUID) -> None:
        out += value.int.to_bytes(16, "big")

    return read, write


def sized(kind: Sized, nullable: bool, compact: bool) -> tuple[Read, Write]:
    """Text, bytes or records behind their length; what is not text is read as a view."""
    read_length, write_length = length(kind.length, compact)
    text, spliced = kind.text, kind.spliced

    def read(buf: memoryview, pos: int) -> tuple[Any, int]:
        size, pos = read_length(buf, pos)
        if size < 0:
            _refuse_unless_null(size, nullable)
            return None, pos
        end = pos + size
        if end > len(buf):
            raise Malformed("a value runs past the end")
        return (str(buf[pos:end], "utf-8") if text else buf[pos:end]), end

    def write(out: Output, value: Any) -> None:
        if value is None:
            assert nullable, "null where a value is required"
            write_length(out, -1)
            return
        raw = value.encode() if text else value
        write_length(out, len(raw))
        if spliced:
            out.splice(raw)
        else:
            out += raw

    return read, write


def array(item: tuple[Read, Write], nullable: bool, compact: bool) -> tuple[Read, Write]:
    """Items behind their number; every item takes a byte at least, so a lie is known at once."""
    read_length, write_length = length("i", compact)
    read_item, write_item = item

    def read(buf: memoryview, pos: int) -> tuple[Any, int]:
        count, pos = read_length(buf, pos)
        if count < 0:
            _refuse_unless_null(count, nullable)
            return None, pos
        if count > len(buf) - pos:
            raise Malformed("an array runs past the end")
        items = []
        for _ in range(count):
            value, pos = read_item(buf, pos)
            items.append(value)
        return items, pos

    def write(out: Output, items: Any) -> None:
        if items is None:
            assert nullable, "null where an array is required"
            write_length(out, -1)
            return
        write_length(out, len(items))
        for value in items:
            write_item(out, value)

    return read, write


def fixed_array(fmt: str, nullable: bool, compact: bool) -> tuple[Read, Write]:
    """Items of fixed width behind their number, all in one `struct` call."""
    read_length, write_length = length("i", compact)
    width = calcsize(">" + fmt)

    def read(buf: memoryview, pos: int) -> tuple[Any, int]:
        count, pos = read_length(buf, pos)
        if count < 0:
            _refuse_unless_null(count, nullable)
            return None, pos
        end = pos + count * width
        if end > len(buf):
            raise Malformed("an array runs past the end")
        return list(unpack_from(f">{count}{fmt}", buf, pos)), end

    def write(out: Output, items: Any) -> None:
        if items is None:
            assert nullable, "null where an array is required"
            write_length(out, -1)
            return
        write_length(out, len(items))
        out += pack(f">{len(items)}{fmt}", *items)

    return read, write


def _refuse_unless_null(length: int, nullable: bool) -> None:
    """A length below zero: -1 is null, where that is legal; anything else is nothing."""
    if length != -1:
        raise Malformed(f"a length of {length}")
    if not nullable:
        raise Malformed("null where a value is required")


def nullable_struct(inner: tuple[Read, Write]) -> tuple[Read, Write]:
    """A struct that may be missing: a byte tells, 1 for there and -1 for null."""
    read_inner, write_inner = inner

    def read(buf: memoryview, pos: int) -> tuple[Any, int]:
        return (None, pos + 1) if buf[pos] >= 0x80 else read_inner(buf, pos + 1)

    def write(out: Output, value: Any) -> None:
        if value is None:
            out.append(0xFF)
            return
        out.append(1)
        write_inner(out, value)

    return read, write


def spelt_struct(inner: tuple[Read, Write]) -> tuple[Read, Write]:
    """A tagged struct that may be null: a byte tells, 1 for there and 0 for null."""
    read_inner, write_inner = inner

    def read(buf: memoryview, pos: int) -> tuple[Any, int]:
        return read_inner(buf, pos + 1) if buf[pos] else (None, pos + 1)

    def write(out: Output, value: Any) -> None:
        if value is None:
            out.append(0)
            return
        out.append(1)
        write_inner(out, value)

    return read, write
