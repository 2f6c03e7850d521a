"""Generates the reader and the writer of each (message, version) pair, and calls them.

They are generated as source and compiled on first use, so they contain no checks of versions or
types. `protocol.fields` determines the fields of a class; `protocol.structs` generates the code of
a struct, `protocol.wire` that of a value.
"""

from __future__ import annotations

from functools import cache
from struct import error as struct_error
from typing import Any, Final, get_args, get_origin

from protocol.codec_source import CodecSource
from protocol.fields import Field, fields_of, wire_type
from protocol.output import Output
from protocol.ready_codecs import READERS, WRITERS
from protocol.schema import Encoded, Fixed, Sized, Uuid
from protocol.string_limits import StringTooLong, Unencodable
from protocol.structs import Coded, Tagged, struct_reader, struct_writer
from protocol.varints import Malformed
from protocol.wire import (
    Array,
    EncodedItem,
    FixedArray,
    FixedWidth,
    Nested,
    Nullable,
    Read,
    SizedValue,
    Uuids,
    Wire,
    Write,
)

__all__ = [
    "Malformed",
    "Output",
    "StringTooLong",
    "Unencodable",
    "decode",
    "decode_at",
    "encode",
    "encode_into",
    "is_ready",
]

# What a writer raises for a number out of range, None, a value of another type, and text that
# cannot be encoded.
DOES_NOT_FIT: Final = (
    StringTooLong,
    struct_error,
    OverflowError,
    AttributeError,
    TypeError,
    UnicodeEncodeError,
)


# A larger message is not copied for a reader of `protocol.ready_codecs`. A producer's default
# batch, 16 KB, is in a smaller one.
COPIED_BYTES_MAX: Final = 20 * 1024


def decode(cls: Any, version: int, buf: bytes | bytearray | memoryview) -> Any:
    """Read a message from the start of *buf*; its ``records`` and ``data`` are views into it.

    Bytes after the message are ignored, as in Kafka: librdkafka sends three of them after a
    Metadata request for all topics. Raises `Malformed` for bytes that do not follow the schema.
    """
    view = memoryview(buf)
    raw = bytes(view) if READERS and len(view) <= COPIED_BYTES_MAX else None
    return decode_at(cls, version, raw, view, 0)


def is_ready(cls: Any, version: int, size: int) -> bool:
    """Whether `decode` reads a message of *size* bytes by a reader of `protocol.ready_codecs`."""
    return size <= COPIED_BYTES_MAX and (cls, version) in READERS


def decode_at(cls: Any, version: int, raw: bytes | None, view: memoryview, start: int) -> Any:
    """Read a message at *start* of *view* as `decode` does.

    With *raw*, the same bytes, a reader of `protocol.ready_codecs` reads it if there is one.
    """
    try:
        if raw is not None and (ready := READERS.get((cls, version))) is not None:
            value, pos = ready(raw, view, start)
        else:
            value, pos = _reader(cls, version)(view, start)
    except (IndexError, struct_error) as error:
        raise Malformed(str(error)) from None
    if pos > len(view):
        raise Malformed("a value extends beyond the end")
    return value


def encode_into(out: Output, value: Any, version: int) -> None:
    """Append a message to *out*.

    Raises `Unencodable` for a value that does not fit its type, `StringTooLong` if that is a string
    of more than 32,767 bytes; *out* then contains part of the message.
    """
    cls: Any = type(value)
    write = WRITERS.get((cls, version)) or _writer(cls, version)
    try:
        write(out, value)
    except DOES_NOT_FIT as error:
        raise unencodable(cls, version, error) from error


def unencodable(cls: Any, version: int, error: Exception) -> Unencodable:
    """Convert *error*, one of `DOES_NOT_FIT`, to an `Unencodable` that names the message."""
    kind = StringTooLong if isinstance(error, StringTooLong) else Unencodable
    return kind(f"{cls.__name__} v{version}: {error}")


def encode(value: Any, version: int) -> bytes:
    """Return a message as bytes; raises `Unencodable` for a value that does not fit its type."""
    out = Output()
    encode_into(out, value, version)
    return out.joined()


@cache
def _reader(cls: Any, version: int) -> Read:
    fields = coded(cls, version, is_flexible(cls, version))
    return struct_reader(CodecSource("read", cls), cls, *fields)


@cache
def _writer(cls: Any, version: int) -> Write:
    fields = coded(cls, version, is_flexible(cls, version))
    return struct_writer(CodecSource("write", cls), *fields)


def is_flexible(cls: Any, version: int) -> bool:
    """Whether *version* of the message has compact lengths and tagged fields (KIP-482)."""
    spec = cls.__spec__
    assert version in spec.versions, f"{cls.__name__} has no version {version}"
    flexible: bool = version >= spec.flexible
    return flexible


@cache
def coded(cls: Any, version: int, compact: bool) -> tuple[list[Coded], Tagged | None]:
    """The fields of a struct with their wire types; None instead of tagged ones if not flexible."""
    plain, tagged = fields_of(cls, version)
    assert compact or not tagged, f"{cls.__name__} v{version} has tags before it is flexible"
    in_order = [
        Coded(field, _wire(field.hint, field.nullable, version, compact)) for field in plain
    ]
    by_tag = {tag: Coded(field, _tagged_wire(field, version)) for tag, field in tagged.items()}
    return in_order, by_tag if compact else None


def _tagged_wire(field: Field, version: int) -> Wire:
    """A tagged struct is absent instead of null, unless the schema has an explicit null."""
    nullable = field.nullable and not field.is_struct
    wire = _wire(field.hint, nullable, version, compact=True)
    return Nullable(wire, null=0) if field.is_spelt else wire


def _wire(hint: Any, nullable: bool, version: int, compact: bool) -> Wire:
    match hint:
        case Fixed(fmt):
            return FixedWidth(fmt)
        case Uuid():
            return Uuids()
        case Encoded():
            return EncodedItem()
        case Sized():
            return SizedValue(hint, nullable=nullable, compact=compact)
    if get_origin(hint) is list:
        item, item_nullable = wire_type(get_args(hint)[0])
        if isinstance(item, Fixed):
            return FixedArray(item.format, nullable=nullable, compact=compact)
        inner = _wire(item, item_nullable, version, compact)
        return Array(inner, nullable=nullable, compact=compact)
    nested = Nested(
        hint,
        lambda: [each.wire for each in coded(hint, version, compact)[0]],
        lambda source: struct_reader(source, hint, *coded(hint, version, compact)),
        lambda source: struct_writer(source, *coded(hint, version, compact)),
    )
    return Nullable(nested, null=0xFF) if nullable else nested
