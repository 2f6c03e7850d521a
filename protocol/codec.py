"""Turn one (message, version) pair into a tree of small readers and writers, and use it.

The tree is built on first use and kept, so no version is asked about while reading or writing.
What a class says is in `protocol.fields`; how a struct is read is in `protocol.structs`, how a
value in it is in `protocol.wire`.
"""

from __future__ import annotations

from functools import cache
from struct import error as struct_error
from typing import Any, get_args, get_origin

from protocol.fields import Field, fields_of, wire_type
from protocol.output import Output
from protocol.schema import Fixed, Sized, Uuid
from protocol.structs import Coded, struct_codec
from protocol.wire import (
    Malformed,
    Read,
    Write,
    array,
    fixed,
    fixed_array,
    nullable_struct,
    sized,
    spelt_struct,
    uuids,
)

__all__ = ["Malformed", "Output", "decode", "decode_start", "encode", "encode_into"]


def decode(cls: Any, version: int, buf: bytes | bytearray | memoryview) -> Any:
    """Read a message from the whole of *buf*; its ``records`` and ``data`` are views into it.

    Raises `Malformed` for bytes that are not exactly such a message.
    """
    value, pos = decode_start(cls, version, buf)
    if pos != len(buf):
        raise Malformed(f"{len(buf) - pos} bytes too many")
    return value


def decode_start(cls: Any, version: int, buf: bytes | bytearray | memoryview) -> tuple[Any, int]:
    """Read a message from the start of *buf*; also returns where it ends. Raises `Malformed`."""
    read, _ = _codec_of(cls, version)
    try:
        return read(memoryview(buf), 0)
    except (IndexError, struct_error, UnicodeDecodeError) as error:
        raise Malformed(str(error)) from None


def encode_into(out: Output, value: Any, version: int) -> None:
    """Append a message to *out*."""
    cls: Any = type(value)
    _codec_of(cls, version)[1](out, value)


def encode(value: Any, version: int) -> bytes:
    """A message as bytes."""
    out = Output()
    encode_into(out, value, version)
    return out.joined()


@cache
def _codec_of(cls: Any, version: int) -> tuple[Read, Write]:
    spec = cls.__spec__
    assert version in spec.versions, f"{cls.__name__} has no version {version}"
    return _struct(cls, version, version >= spec.flexible)


@cache
def _struct(cls: Any, version: int, compact: bool) -> tuple[Read, Write]:
    plain, tagged = fields_of(cls, version)
    assert compact or not tagged, f"{cls.__name__} v{version} has tags before it is flexible"

    in_order = [
        Coded(field, *_value(field.hint, field.nullable, version, compact)) for field in plain
    ]
    by_tag = {tag: Coded(field, *_tagged_value(field, version)) for tag, field in tagged.items()}
    return struct_codec(cls, in_order, by_tag if compact else None)


def _tagged_value(field: Field, version: int) -> tuple[Read, Write]:
    """A tagged struct is absent instead of null, unless null is spelt out."""
    nullable = field.nullable and not field.is_struct
    coded = _value(field.hint, nullable, version, True)
    return spelt_struct(coded) if field.is_spelt else coded


def _value(hint: Any, nullable: bool, version: int, compact: bool) -> tuple[Read, Write]:
    match hint:
        case Fixed(fmt):
            return fixed(fmt)
        case Uuid():
            return uuids()
        case Sized():
            return sized(hint, nullable, compact)
    if get_origin(hint) is list:
        item, item_nullable = wire_type(get_args(hint)[0])
        if isinstance(item, Fixed):
            return fixed_array(item.format, nullable, compact)
        return array(_value(item, item_nullable, version, compact), nullable, compact)
    inner = _struct(hint, version, compact)
    return nullable_struct(inner) if nullable else inner
