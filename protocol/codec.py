"""Turn one (struct, version) pair into a tree of small readers and writers.

The tree is built on first use and kept. Neighbouring fields of fixed width share one `struct` call;
that, and not asking about versions while reading, is where the speed comes from.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from functools import cache
from itertools import groupby
from operator import attrgetter
from struct import Struct
from struct import error as struct_error
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from protocol.output import Output
from protocol.schema import FOREVER, Fixed, Sized, Uuid
from protocol.wire import (
    Malformed,
    Read,
    Write,
    array,
    fixed,
    nullable_struct,
    read_uvarint,
    sized,
    uuids,
    write_uvarint,
)

__all__ = ["Malformed", "Output", "decode", "encode", "encode_into"]


def decode(cls: Any, version: int, buf: bytes | bytearray | memoryview) -> Any:
    """Read a message from the whole of *buf*; its ``records`` and ``data`` are views into it.

    Raises `Malformed` for bytes that are not exactly such a message.
    """
    view = memoryview(buf)
    read, _ = _codec_of(cls, version)
    try:
        value, pos = read(view, 0)
    except (IndexError, struct_error, UnicodeDecodeError) as error:
        raise Malformed(str(error)) from None
    if pos != len(view):
        raise Malformed(f"{len(view) - pos} bytes too many")
    return value


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
    return record(cls, version, version >= spec.flexible)


class Field(NamedTuple):
    """One field of a struct in one version."""

    name: str
    hint: Any
    nullable: bool
    default: Callable[[], Any]


def _value(hint: Any, nullable: bool, version: int, compact: bool) -> tuple[Read, Write]:
    match hint:
        case Fixed(fmt):
            return fixed(fmt)
        case Uuid():
            return uuids()
        case Sized():
            return sized(hint, nullable, compact)
    if get_origin(hint) is list:
        inner, inner_nullable = wire_type(get_args(hint)[0])
        return array(_value(inner, inner_nullable, version, compact), nullable, compact)
    inner_struct = record(hint, version, compact)
    return nullable_struct(inner_struct) if nullable else inner_struct


def wire_type(hint: Any) -> tuple[Any, bool]:
    """The wire type named by an annotation, and whether it may be null."""
    if get_origin(hint) in (Union, types.UnionType):
        present = [inner for inner in get_args(hint) if inner is not type(None)]
        assert len(present) == 1, hint
        return wire_type(present[0])[0], True
    if meta := getattr(hint, "__metadata__", None):
        return meta[0], False
    return hint, False


def fields_of(cls: Any, version: int) -> tuple[list[Field], dict[int, Field]]:
    """The fields that *version* has: those in order, and the tagged ones by tag."""
    hints = get_type_hints(cls, include_extras=True)
    plain, tagged = [], {}
    for field in dataclasses.fields(cls):
        span = field.metadata
        if not span.get("since", 0) <= version <= span.get("until", FOREVER):
            continue
        hint, nullable = wire_type(hints[field.name])
        nullable = nullable and version >= span.get("null", 0)
        one = Field(field.name, hint, nullable, _default_of(field))
        if (tag := span.get("tag")) is None:
            plain.append(one)
        else:
            tagged[tag] = one
    return plain, tagged


def _default_of(field: dataclasses.Field[Any]) -> Callable[[], Any]:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory
    return lambda: field.default


@cache
def record(cls: Any, version: int, compact: bool) -> tuple[Read, Write]:
    """The reader and the writer of struct *cls*."""
    plain, tagged = fields_of(cls, version)
    steps: list[tuple[tuple[str, ...], Struct | None, Read | None, Write | None]] = []
    for is_fixed, run in groupby(plain, lambda field: isinstance(field.hint, Fixed)):
        fields = tuple(run)
        if is_fixed:
            packer = Struct(">" + "".join(field.hint.format for field in fields))
            steps.append((tuple(field.name for field in fields), packer, None, None))
        else:
            steps += [
                ((field.name,), None, *_value(field.hint, field.nullable, version, compact))
                for field in fields
            ]
    read_tags, write_tags = _tag_section(tagged, version) if compact else (None, None)
    reader = _reader(cls, [step[:3] for step in steps], read_tags)
    writer = _writer([(names, packer, write) for names, packer, _, write in steps], write_tags)
    return reader, writer


ReadTags = Callable[[memoryview, int, dict[str, Any]], int]


def _reader(cls: Any, steps: list[Any], read_tags: ReadTags | None) -> Read:
    def read(buf: memoryview, pos: int) -> tuple[Any, int]:
        values: dict[str, Any] = {}
        for names, packer, read_value in steps:
            if packer is not None:
                values.update(zip(names, packer.unpack_from(buf, pos), strict=True))
                pos += packer.size
            else:
                values[names[0]], pos = read_value(buf, pos)
        if read_tags is not None:
            if buf[pos]:
                pos = read_tags(buf, pos, values)
            else:
                pos += 1
        return cls(**values), pos

    return read


def _writer(steps: list[Any], write_tags: Write | None) -> Write:
    getters = [
        (attrgetter(*names), len(names) > 1, packer, write_value)
        for names, packer, write_value in steps
    ]

    def write(out: Output, it: Any) -> None:
        for get, many, packer, write_value in getters:
            if packer is None:
                write_value(out, get(it))
            elif many:
                out += packer.pack(*get(it))
            else:
                out += packer.pack(get(it))
        if write_tags is not None:
            write_tags(out, it)

    return write


def _is_struct(field: Field) -> bool:
    """Whether the field is a struct: a tagged one is None when absent, never null on the wire."""
    return dataclasses.is_dataclass(field.hint) and not isinstance(field.hint, Fixed | Sized)


Tagged = dict[int, tuple[Field, Read, Write]]


def _tag_section(tagged: dict[int, Field], version: int) -> tuple[ReadTags, Write]:
    """Reader and writer of the tagged fields of a flexible struct (KIP-482)."""
    codecs: Tagged = {
        tag: (field, *_value(field.hint, field.nullable and not _is_struct(field), version, True))
        for tag, field in sorted(tagged.items())
    }
    return _tag_reader(codecs), _tag_writer(codecs) if codecs else _write_no_tags


def _tag_reader(codecs: Tagged) -> ReadTags:
    """Those we know are read, others are skipped."""

    def read(buf: memoryview, pos: int, values: dict[str, Any]) -> int:
        count, pos = read_uvarint(buf, pos)
        for _ in range(count):
            tag, pos = read_uvarint(buf, pos)
            size, pos = read_uvarint(buf, pos)
            end = pos + size
            if end > len(buf):
                raise Malformed("a tagged field runs past the end")
            if tag in codecs:
                field, read_value, _ = codecs[tag]
                values[field.name], pos = read_value(buf[:end], pos)
                if pos != end:
                    raise Malformed("a tagged field is not as long as it says")
            pos = end
        return pos

    return read


def _tag_writer(codecs: Tagged) -> Write:
    """Those that differ from their defaults are written, by tag."""

    def write(out: Output, it: Any) -> None:
        bodies: list[tuple[int, bytes]] = []
        for tag, (field, _, write_value) in codecs.items():
            value = getattr(it, field.name)
            if value != field.default():
                body = Output()
                write_value(body, value)
                bodies.append((tag, body.joined()))
        write_uvarint(out, len(bodies))
        for tag, raw in bodies:
            write_uvarint(out, tag)
            write_uvarint(out, len(raw))
            out += raw

    return write


def _write_no_tags(out: Output, _it: Any) -> None:
    out.append(0)
