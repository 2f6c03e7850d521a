"""Generates readers and writers of structs: fields in order, then the tagged ones (KIP-482).

Both are generated as source, see `protocol.source`. Most structs have no tagged fields on the wire;
then reading checks one byte, and writing compares the fields with their defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from protocol.fields import Field
from protocol.output import Output
from protocol.source import Source
from protocol.varints import Malformed, read_uvarint, write_uvarint
from protocol.wire import Read, Wire, Write, read_together, reader, write_together, writer


class Coded(NamedTuple):
    """A field with its wire type."""

    field: Field
    wire: Wire

    @property
    def attribute(self) -> str:
        """The expression for its value."""
        return f"it.{self.field.name}"


Tagged = dict[int, Coded]
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
    same = []
    for coded in tagged.values():
        default = coded.field.default()
        comparison = "is" if default is None else "=="
        same.append(f"{coded.attribute} {comparison} {source.bind('default', default)}")
    with source.block(f"if {' and '.join(same)}"):
        source.line("out.append(0)")
    with source.block("else"):
        source.line(f"{source.bind('write_tags', _tag_writer(tagged))}(out, it)")


def _tag_writer(tagged: Tagged) -> Write:
    @cache
    def writer_of(tag: int) -> Write:
        return writer(tagged[tag].wire, tagged[tag].field.name)

    def write(out: Output, it: Any) -> None:
        bodies: list[tuple[int, bytes]] = []
        for tag, (field, _) in tagged.items():
            value = getattr(it, field.name)
            if value != field.default():
                body = Output()
                writer_of(tag)(body, value)
                bodies.append((tag, body.joined()))
        write_uvarint(out, len(bodies))
        for tag, raw in bodies:
            write_uvarint(out, tag)
            write_uvarint(out, len(raw))
            out += raw

    return write
