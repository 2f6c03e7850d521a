"""Generates readers and writers of structs: fields in order, then the tagged ones (KIP-482).

Both are generated as source, see `protocol.source`. Most structs have no tagged fields on the wire;
then reading checks one byte, and writing compares the fields with their defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from functools import cache
from itertools import groupby
from typing import Any, Final, NamedTuple

from protocol.fields import Field
from protocol.output import Output
from protocol.source import Source
from protocol.varints import Malformed, read_uvarint, write_uvarint
from protocol.wire import Read, Wire, Write, read_together, reader, write_together


class Coded(NamedTuple):
    """A field with its wire type."""

    field: Field
    wire: Wire

    @property
    def attribute(self) -> str:
        """The expression for its value."""
        return f"it.{self.field.name}"


Tagged = dict[int, Coded]
# Numbers below this are encoded in one byte, as nearly all tags, counts and sizes of them.
_ONE_BYTE: Final = 1 << 7
ReadTags = Callable[[memoryview, int, Any], int]


def _runs(plain: list[Coded]) -> Iterator[list[Coded]]:
    """Group the fields in order: adjacent ones of fixed width together, others alone."""
    for is_fixed, group in groupby(plain, lambda coded: coded.field.is_fixed):
        if is_fixed:
            yield list(group)
        else:
            yield from ([coded] for coded in group)


def _formats(run: list[Coded]) -> str:
    return "".join(coded.field.hint.format for coded in run)


# ------------------------------------------------------------------------------------- reading


def struct_reader(
    cls: Any, plain: list[Coded], tagged: Tagged | None, *, sliced: bool = False
) -> Read:
    """The reader of *cls*; *tagged* is None if the version is not flexible.

    A *sliced* one is a generator function, see `protocol.slices`; *plain* must contain an array.
    """
    source = Source("read", "buf, pos", cls.__name__, sliced=sliced)
    source.line(f"it = {source.bind('new', cls.__new__)}({source.bind(cls.__name__, cls)})")
    for run in _runs(plain):
        if run[0].field.is_fixed:
            read_together(source, _formats(run), [coded.attribute for coded in run])
        else:
            run[0].wire.read(source, run[0].attribute)
    _set_defaults(source, cls, {coded.field.name for coded in plain})
    if tagged is not None:
        with source.block("if buf[pos]"):
            source.line(f"pos = {source.bind('read_tags', _tag_reader(tagged))}(buf, pos, it)")
        with source.block("else"):
            source.line("pos += 1")
    source.line("return it, pos")
    return source.function()


def _set_defaults(source: Source, cls: Any, read: set[str]) -> None:
    """Set fields that are not in *read*, being tagged or of another version, to their defaults."""
    for one in fields(cls):
        if one.name in read:
            continue
        if one.default_factory is not MISSING:
            source.line(f"it.{one.name} = {source.bind('factory', one.default_factory)}()")
        else:
            assert one.default is not MISSING, f"{cls.__name__}.{one.name} needs a default"
            source.line(f"it.{one.name} = {source.bind('default', one.default)}")


def _tag_reader(tagged: Tagged) -> ReadTags:
    """The reader of tagged fields; it skips unknown ones.

    As in Kafka, their order is free, the last one of a repeated tag is used, a known field ends
    where its value ends whatever its size says, and a negative count is read as 0.
    """

    @cache
    def reader_of(tag: int) -> Read:
        return reader(tagged[tag].wire, tagged[tag].field.name)

    def read(buf: memoryview, pos: int, it: Any) -> int:
        count, pos = read_uvarint(buf, pos)
        for _ in range(count):
            tag, pos = read_uvarint(buf, pos)
            if tag in tagged:
                _, pos = read_uvarint(buf, pos)
                value, pos = reader_of(tag)(buf, pos)
                setattr(it, tagged[tag].field.name, value)
            else:
                pos = skip_sized(buf, pos)
        return pos

    return read


def skip_sized(buf: memoryview, pos: int) -> int:
    """Return where the bytes whose size is at *pos* end; raises `Malformed`."""
    size, pos = read_uvarint(buf, pos)
    if not 0 <= size <= len(buf) - pos:
        raise Malformed("a tagged field extends beyond the end")
    return pos + size


# ------------------------------------------------------------------------------------- writing


def struct_writer(
    cls: Any, plain: list[Coded], tagged: Tagged | None, *, sliced: bool = False
) -> Write:
    """The writer of *cls*; see `struct_reader`."""
    source = Source("write", "out, it", cls.__name__, sliced=sliced)
    for run in _runs(plain):
        if run[0].field.is_fixed:
            write_together(source, _formats(run), [coded.attribute for coded in run])
        else:
            value = source.local("value")
            source.line(f"{value} = {run[0].attribute}")
            run[0].wire.write(source, value)
    if tagged:
        _write_tags(source, tagged)
    elif tagged is not None:
        source.line("out.append(0)")
    elif not plain:
        source.line("pass")
    return source.function()


def _write_tags(source: Source, tagged: Tagged) -> None:
    """Write the tagged fields that differ from their defaults, ordered by tag."""
    present = []
    for tag, (field, wire) in tagged.items():
        assert tag < _ONE_BYTE
        value, is_present = source.local("value"), source.local("is_present")
        source.line(f"{value} = it.{field.name}")
        source.line(f"{is_present} = {_differs(source, value, field)}")
        present.append((tag, wire, value, is_present))
    source.line(f"out.append({' + '.join(is_present for *_, is_present in present)})")
    for tag, wire, value, is_present in present:
        with source.block(f"if {is_present}"):
            start = source.local("start")
            source.line(f"out.append({tag})")
            source.line(f"{start} = len(out)")
            source.line("out.append(0)")
            wire.write(source, value)
            source.line(f"{source.bind('end_sized', end_sized)}(out, {start})")


def _differs(source: Source, value: str, field: Field) -> str:
    """The expression for whether *value* is not the default, which is omitted."""
    if field.is_spelt:
        return "True"  # a null is written
    default = field.default()
    if default is None:
        return f"{value} is not None"
    name = source.bind("default", default)
    return f"{value} is not {name} and {value} != {name}"


def end_sized(out: Output, start: int) -> None:
    """Write the size of what follows position *start*, where one byte is reserved for it."""
    size = len(out) - start - 1
    if size < _ONE_BYTE:
        out[start] = size
        return
    prefix = bytearray()
    write_uvarint(prefix, size)
    out[start : start + 1] = prefix
