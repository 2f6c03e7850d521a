"""Generates readers and writers of structs: fields in order, then the tagged ones (KIP-482).

Both are generated as source, see `protocol.codec_source`. Most structs have no tagged fields on the
wire; then reading checks one byte, and writing compares the fields with their defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from protocol.codec_source import CodecSource
from protocol.fields import Field
from protocol.tagged_fields import TAG_MAX, end_sized, read_tag_count, skip_sized, skip_tags
from protocol.varints import read_uvarint
from protocol.wire import Read, Wire, Write


class Coded(NamedTuple):
    """A field with its wire type."""

    field: Field
    wire: Wire

    @property
    def attribute(self) -> str:
        """The expression for its value."""
        return f"it.{self.field.name}"


Tagged = dict[int, Coded]


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


def struct_reader(source: CodecSource, cls: Any, plain: list[Coded], tagged: Tagged | None) -> Read:
    """The reader of *cls* from an empty *source*; *tagged* is None if the version is not flexible.

    With a sliced source it is a generator function, see `protocol.slices`; *plain* must contain an
    array.
    """
    source.begin_struct(cls)
    for run in _runs(plain):
        if run[0].field.is_fixed:
            source.read_numbers(_formats(run), [source.field(coded.field.name) for coded in run])
        else:
            run[0].wire.read(source, source.field(run[0].field.name))
    source.end_struct(cls, {coded.field.name for coded in plain})
    if tagged is not None:
        with source.block(f"if {source.octets}[pos]"):
            if tagged:
                read_tags = source.bind("read_tags", _tag_reader(source, cls, tagged))
                source.line(f"pos = {read_tags}({source.position}, it)")
            else:
                source.line(f"pos = {source.bind('skip_tags', skip_tags)}(buf, pos)")
        with source.block("else"):
            source.line("pos += 1")
    source.line("return it, pos")
    return source.function()


def _tag_reader(source: CodecSource, cls: Any, tagged: Tagged) -> Callable[..., int]:
    """The reader of the tagged fields of *cls*, for *source*; it skips unknown ones.

    As in Kafka, their order is free, the last one of a repeated tag is used, a known field ends
    where its value ends whatever its size says, and a negative count is read as 0.
    """
    source = source.begin("read_tags", cls)
    read = source.bind("read_uvarint", read_uvarint)
    source.line(f"count, pos = {source.bind('read_tag_count', read_tag_count)}(buf, pos)")
    with source.block("for _ in range(count)"):
        source.line(f"tag, pos = {read}(buf, pos)")
        for tag, coded in tagged.items():
            with source.block(f"if tag == {tag}"):
                source.line(f"size, pos = {read}(buf, pos)")
                coded.wire.read(source, coded.attribute)
                source.line("continue")
        source.line(f"pos = {source.bind('skip_sized', skip_sized)}(buf, pos)")
    source.line("return pos")
    return source.function()


# ------------------------------------------------------------------------------------- writing


def struct_writer(source: CodecSource, plain: list[Coded], tagged: Tagged | None) -> Write:
    """The writer of a struct; see `struct_reader`."""
    for run in _runs(plain):
        if run[0].field.is_fixed:
            source.write_numbers(_formats(run), [coded.attribute for coded in run])
        else:
            value = source.local("value")
            source.get(value, run[0].field)
            run[0].wire.write(source, value)
    if tagged:
        _write_tags(source, tagged)
    elif tagged is not None:
        source.line("out.append(0)")
    elif not plain:
        source.line("pass")
    return source.function()


def _write_tags(source: CodecSource, tagged: Tagged) -> None:
    """Write the tagged fields that differ from their defaults, ordered by tag."""
    present = []
    for tag, (field, wire) in tagged.items():
        assert tag <= TAG_MAX
        value = source.local("value")
        source.get(value, field)
        is_present = _is_present(source, value, field)
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


def _is_present(source: CodecSource, value: str, field: Field) -> str:
    """The expression for whether *value* is not the default, which is omitted."""
    if field.is_spelt:
        return "True"  # a null is written
    default = field.default()
    if default is None:
        return f"({value} is not None)"  # from which type checkers infer the type
    is_present = source.local("is_present")
    source.line(f"{is_present} = {source.differs(value, default)}")
    return is_present
