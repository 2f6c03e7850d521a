"""Readers and writers of structs: fields in their order, then the tagged ones (KIP-482).

Neighbouring fields of fixed width share one `struct` call, and what is read goes into an object by
position: that is where the speed comes from. Most structs carry no tagged field even where they
could; then one byte is looked at, or one comparison made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, field, fields, make_dataclass
from itertools import groupby
from operator import attrgetter
from struct import Struct
from types import SimpleNamespace
from typing import Any, NamedTuple

from protocol.fields import Field
from protocol.output import Output
from protocol.wire import Malformed, Read, Write, read_uvarint, write_uvarint


class Coded(NamedTuple):
    """A field with its reader and writer."""

    field: Field
    read: Read
    write: Write


Step = list[Coded]  # several: neighbours of fixed width, read and written together
Tagged = dict[int, Coded]
Fill = Callable[..., None]
ReadTags = Callable[[memoryview, int, Any], int]


def struct_codec(cls: Any, plain: list[Coded], tagged: Tagged | None) -> tuple[Read, Write]:
    """The reader and the writer of *cls*; *tagged* is None where there is no place for tags."""
    steps: list[Step] = []
    for is_fixed, group in groupby(plain, lambda coded: coded.field.is_fixed):
        run = list(group)
        steps += [run] if is_fixed else [[coded] for coded in run]
    return _reader(cls, steps, tagged), _writer(steps, tagged)


def _packer(run: Step) -> Struct:
    return Struct(">" + "".join(coded.field.hint.format for coded in run))


# ------------------------------------------------------------------------------------- reading


def _reader(cls: Any, steps: list[Step], tagged: Tagged | None) -> Read:
    fill = _positional_init(cls, [coded.field.name for step in steps for coded in step])
    read_tags = None if tagged is None else _tag_reader(tagged)
    if len(steps) == 1 and len(steps[0]) > 1:
        return _run_reader(cls, fill, _packer(steps[0]), read_tags)
    new, parts = cls.__new__, [_reading(step) for step in steps]

    def read(buf: memoryview, pos: int) -> tuple[Any, int]:
        values: list[Any] = []
        for unpack, size, read_value in parts:
            if unpack is None:
                value, pos = read_value(buf, pos)
                values.append(value)
            else:
                values += unpack(buf, pos)
                pos += size
        it = new(cls)
        fill(it, *values)
        if read_tags is not None:
            pos = read_tags(buf, pos, it) if buf[pos] else pos + 1
        return it, pos

    return read


def _reading(step: Step) -> tuple[Any, int, Any]:
    """What one turn of the reader's loop needs: a run's unpacker and size, or a field's reader."""
    if len(step) == 1:
        return None, 0, step[0].read
    packer = _packer(step)
    return packer.unpack_from, packer.size, None


def _run_reader(cls: Any, fill: Fill, packer: Struct, read_tags: ReadTags | None) -> Read:
    """A struct of fixed-width fields alone, such as each partition of a Fetch."""
    new, unpack, size = cls.__new__, packer.unpack_from, packer.size

    def read(buf: memoryview, pos: int) -> tuple[Any, int]:
        it = new(cls)
        fill(it, *unpack(buf, pos))
        pos += size
        if read_tags is not None:
            pos = read_tags(buf, pos, it) if buf[pos] else pos + 1
        return it, pos

    return read


def _positional_init(cls: Any, names: list[str]) -> Fill:
    """An ``__init__`` for *cls* that takes the fields *names* by position, the others by default.

    It is that of a twin of *cls*, whose own takes keywords and three times as long.
    """
    columns: list[Any] = [(name, Any) for name in names]
    for one in fields(cls):
        if one.name in names:
            continue
        default, factory = one.default, one.default_factory
        assert not (default is factory is MISSING), f"{cls.__name__}.{one.name} needs a default"
        columns.append((one.name, Any, field(default=default, default_factory=factory)))
    twin: Any = make_dataclass(cls.__name__, columns, repr=False, eq=False)
    fill: Fill = twin.__init__
    return fill


def _tag_reader(tagged: Tagged) -> ReadTags:
    """Tagged fields we know are read, others are skipped."""

    def read(buf: memoryview, pos: int, it: Any) -> int:
        count, pos = read_uvarint(buf, pos)
        for _ in range(count):
            tag, pos = read_uvarint(buf, pos)
            size, pos = read_uvarint(buf, pos)
            end = pos + size
            if end > len(buf):
                raise Malformed("a tagged field runs past the end")
            if tag in tagged:
                coded = tagged[tag]
                value, pos = coded.read(buf[:end], pos)
                if pos != end:
                    raise Malformed("a tagged field is not as long as it says")
                setattr(it, coded.field.name, value)
            pos = end
        return pos

    return read


# ------------------------------------------------------------------------------------- writing


def _writer(steps: list[Step], tagged: Tagged | None) -> Write:
    parts = [_writing(step) for step in steps]
    write_tags = None if tagged is None else _tag_writer(tagged) if tagged else _write_no_tags

    def write(out: Output, it: Any) -> None:
        for get, pack, write_value in parts:
            if pack is None:
                write_value(out, get(it))
            else:
                out += pack(*get(it))
        if write_tags is not None:
            write_tags(out, it)

    return write


def _writing(step: Step) -> tuple[Any, Any, Any]:
    """What one turn of the writer's loop needs: getter, and a run's packer or a field's writer."""
    get = attrgetter(*(coded.field.name for coded in step))
    return (get, None, step[0].write) if len(step) == 1 else (get, _packer(step).pack, None)


def _write_no_tags(out: Output, _it: Any) -> None:
    out.append(0)


def _tag_writer(tagged: Tagged) -> Write:
    """Tagged fields that differ from their defaults are written, by tag."""
    get = attrgetter(*(coded.field.name for coded in tagged.values()))
    defaults = {coded.field.name: coded.field.default() for coded in tagged.values()}
    nothing_to_say = get(SimpleNamespace(**defaults))

    def write(out: Output, it: Any) -> None:
        if get(it) == nothing_to_say:
            out.append(0)
            return
        bodies: list[tuple[int, bytes]] = []
        for tag, coded in tagged.items():
            value = getattr(it, coded.field.name)
            if value != defaults[coded.field.name]:
                body = Output()
                coded.write(body, value)
                bodies.append((tag, body.joined()))
        write_uvarint(out, len(bodies))
        for tag, raw in bodies:
            write_uvarint(out, tag)
            write_uvarint(out, len(raw))
            out += raw

    return write
