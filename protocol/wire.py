"""How values of each wire type are read and written: the lines of source that do it.

A type's ``read`` writes lines that take a value from ``buf`` at ``pos`` and move ``pos`` after it;
its ``write`` writes lines that append a value to ``out``. A length may exceed the bytes there are:
the slice is short then, and the next read, or the last check of ``pos``, detects it. They read as
leniently as Kafka's generated classes: a negative length is null, long varints and malformed UTF-8
are read.

What the lines cannot read they report with `Malformed`, `IndexError` or `struct.error`, and a value
that does not fit its type with `StringTooLong`, `struct.error` or whatever Python raises for it;
`protocol.codec` makes one error of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from struct import Struct, calcsize, pack, unpack_from
from typing import Any, NoReturn, Protocol
from uuid import UUID

from protocol.java_text import JAVA_REPLACE
from protocol.output import Output
from protocol.schema import Sized
from protocol.source import Source
from protocol.string_limits import (
    REPLACEABLE_BYTES_MAX,
    STRING_BYTES_MAX,
    check_replaced,
    refuse_text,
)
from protocol.varints import Malformed, read_uvarint, write_uvarint

_UUID_BYTES = 16
_UUIDS_KEPT = 1024
# A sliced function may be interrupted after so many items of an array; a power of two.
ITEMS_PER_YIELD = 64
_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1

Read = Callable[[memoryview, int], tuple[Any, int]]
Write = Callable[[Output, Any], None]


class Wire(Protocol):
    """A wire type."""

    def read(self, source: Source, target: str) -> None:
        """Write the lines that read a value and assign it to *target*."""
        ...

    def write(self, source: Source, value: str) -> None:
        """Write the lines that append *value*, the name of a variable."""
        ...


def reader(wire: Wire, about: str) -> Read:
    """A function that reads single values; *about* says in tracebacks what they are."""
    source = Source("read", "buf, pos", about)
    wire.read(source, "value")
    source.line("return value, pos")
    return source.function()


def writer(wire: Wire, about: str) -> Write:
    """A function that writes single values."""
    source = Source("write", "out, value", about)
    wire.write(source, "value")
    return source.function()


# ------------------------------------------------------------------------------- fixed width


@dataclass(frozen=True)
class FixedWidth:
    """One value of fixed width, named by its `struct` format character."""

    format: str

    def read(self, source: Source, target: str) -> None:
        """See `Wire.read`."""
        read_together(source, self.format, [target])

    def write(self, source: Source, value: str) -> None:
        """See `Wire.write`."""
        write_together(source, self.format, [value])


def read_together(source: Source, formats: str, targets: Sequence[str]) -> None:
    """Neighbours of fixed width share one `struct` call: that is where the speed comes from."""
    packer = Struct(f">{formats}")
    unpack = source.bind(f"unpack_{formats}".replace("?", "B"), packer.unpack_from)
    source.line(f"{''.join(f'{each}, ' for each in targets)}= {unpack}(buf, pos)")
    source.line(f"pos += {packer.size}")


def write_together(source: Source, formats: str, values: Sequence[str]) -> None:
    """As they are read."""
    name = source.bind(f"pack_{formats}".replace("?", "B"), Struct(f">{formats}").pack)
    source.line(f"out += {name}({', '.join(values)})")


class _KnownUuids(dict[bytes, UUID]):
    """A broker sees the same few again and again, so their objects are kept."""

    def __missing__(self, raw: bytes) -> UUID:
        if len(self) >= _UUIDS_KEPT:
            self.clear()
        value = self[raw] = UUID(bytes=raw)
        return value


_uuids = _KnownUuids()


class Uuids:
    """Sixteen bytes."""

    def read(self, source: Source, target: str) -> None:
        """See `Wire.read`."""
        raw = source.local("raw")
        read_together(source, f"{_UUID_BYTES}s", [raw])
        source.line(f"{target} = {source.bind('uuids', _uuids)}[{raw}]")

    def write(self, source: Source, value: str) -> None:
        """See `Wire.write`."""
        source.line(f"out += {value}.int.to_bytes({_UUID_BYTES}, 'big')")


# ------------------------------------------------------------------------- behind their length


@dataclass(frozen=True)
class Length:
    """Classic ones are big-endian and null is -1; compact ones are varints plus one (KIP-482)."""

    format: str
    compact: bool
    nullable: bool
    of_text: bool = False

    def read(self, source: Source, target: str) -> None:
        """Write the lines that read it; negative for null, which may or may not be legal."""
        if not self.compact:
            read_together(source, self.format, [target])
            return
        source.line(f"{target} = buf[pos] - 1")
        source.line("pos += 1")
        with source.block(f"if {target} > 126"):
            read_long = _read_long_of_text if self.of_text else _read_long
            source.line(f"{target}, pos = {source.bind('read_long', read_long)}(buf, pos - 1)")

    def write(self, source: Source, value: str) -> None:
        """Write the lines that append the length of *value*."""
        if not self.compact:
            self._refuse_long_text(source, value)
            write_together(source, self.format, [f"len({value})"])
            return
        n = source.local("n")
        source.line(f"{n} = len({value}) + 1")
        with source.block(f"if {n} < 128"):
            source.line(f"out.append({n})")
        with source.block("else"):
            self._refuse_long_text(source, value)
            source.line(f"{source.bind('write_uvarint', write_uvarint)}(out, {n})")

    def _refuse_long_text(self, source: Source, value: str) -> None:
        if self.of_text:
            with source.block(f"if len({value}) > {STRING_BYTES_MAX}"):
                source.line(f"{source.bind('refuse_text', refuse_text)}({value})")

    @contextmanager
    def reading(self, source: Source, target: str) -> Iterator[str]:
        """Write the lines for null; those written inside are for a length, given by its name."""
        n = source.local("n")
        self.read(source, n)
        with source.block(f"if {n} < 0"):
            if self.nullable:
                source.line(f"{target} = None")
            else:
                source.line(f"{source.bind('refuse_null', _refuse_null)}()")
        with source.block("else"):
            yield n

    @contextmanager
    def writing(self, source: Source, value: str) -> Iterator[None]:
        """Write the lines for null; those written inside are for a *value*."""
        if not self.nullable:
            yield
            return
        with source.block(f"if {value} is None"):
            null = bytes(1) if self.compact else pack(f">{self.format}", -1)
            source.line(f"out += {null!r}")
        with source.block("else"):
            yield


def _read_long(buf: memoryview, pos: int) -> tuple[int, int]:
    """Subtract one as Java does, where the smallest number becomes the largest."""
    value, pos = read_uvarint(buf, pos)
    return _INT32_MAX if value == _INT32_MIN else value - 1, pos


def _read_long_of_text(buf: memoryview, pos: int) -> tuple[int, int]:
    length, pos = _read_long(buf, pos)
    if length > STRING_BYTES_MAX:
        raise Malformed(f"a string of {length} bytes")
    return length, pos


def _refuse_null() -> NoReturn:
    raise Malformed("null where a value is required")


class SizedValue:
    """Text, bytes or records behind their length; what is not text is read as a view."""

    def __init__(self, kind: Sized, *, nullable: bool, compact: bool) -> None:
        self._kind = kind
        self._length = Length(kind.length, compact, nullable, of_text=kind.text)

    def read(self, source: Source, target: str) -> None:
        """See `Wire.read`."""
        with self._length.reading(source, target) as n:
            raw = f"buf[pos : pos + {n}]"
            text = f"str({raw}, 'utf-8', {JAVA_REPLACE!r})"
            source.line(f"{target} = {text if self._kind.text else raw}")
            if self._kind.text:
                with source.block(f"if {n} > {REPLACEABLE_BYTES_MAX}"):
                    source.line(f"{source.bind('check_replaced', check_replaced)}({target})")
            source.line(f"pos += {n}")

    def write(self, source: Source, value: str) -> None:
        """See `Wire.write`."""
        with self._length.writing(source, value):
            if self._kind.text:
                source.line(f"{value} = {value}.encode()")
            self._length.write(source, value)
            source.line(f"out.splice({value})" if self._kind.spliced else f"out += {value}")


class Array:
    """Items behind their number; every item takes a byte at least, so a lie is known at once.

    A sliced reader yields the number of items before it reads any, then 0 after every few items; a
    sliced writer yields after every few.
    """

    def __init__(self, item: Wire, *, nullable: bool, compact: bool) -> None:
        self._item = item
        self._length = Length("i", compact, nullable)

    def read(self, source: Source, target: str) -> None:
        """See `Wire.read`."""
        items, item = source.local("items"), source.local("item")
        with self._length.reading(source, target) as n:
            with source.block(f"if {n} > len(buf) - pos"):
                source.line(f"{source.bind('refuse_array', _refuse_array)}()")
            if source.sliced:
                source.line(f"yield {n}")
            source.line(f"{target} = {items} = []")
            with source.block(f"for _ in range({n})"):
                self._item.read(source, item)
                source.line(f"{items}.append({item})")
                if source.sliced:
                    with source.block(f"if not len({items}) & {ITEMS_PER_YIELD - 1}"):
                        source.line("yield 0")

    def write(self, source: Source, value: str) -> None:
        """See `Wire.write`."""
        item = source.local("item")
        with self._length.writing(source, value):
            self._length.write(source, value)
            if not source.sliced:
                with source.block(f"for {item} in {value}"):
                    self._item.write(source, item)
                return
            index = source.local("index")
            with source.block(f"for {index}, {item} in enumerate({value}, 1)"):
                self._item.write(source, item)
                with source.block(f"if not {index} & {ITEMS_PER_YIELD - 1}"):
                    source.line("yield")


class FixedArray:
    """Items of fixed width behind their number, all in one `struct` call.

    A sliced reader yields the number of items.
    """

    def __init__(self, format_: str, *, nullable: bool, compact: bool) -> None:
        self._format = format_
        self._length = Length("i", compact, nullable)

    def read(self, source: Source, target: str) -> None:
        """See `Wire.read`."""
        with self._length.reading(source, target) as n:
            size = f"{n} * {calcsize(f'>{self._format}')}"
            with source.block(f"if {size} > len(buf) - pos"):
                source.line(f"{source.bind('refuse_array', _refuse_array)}()")
            if source.sliced:
                source.line(f"yield {n}")
            unpack = source.bind("unpack_from", unpack_from)
            source.line(f"{target} = list({unpack}(f'>{{{n}}}{self._format}', buf, pos))")
            source.line(f"pos += {size}")

    def write(self, source: Source, value: str) -> None:
        """See `Wire.write`."""
        with self._length.writing(source, value):
            self._length.write(source, value)
            packing = f"f'>{{len({value})}}{self._format}', *{value}"
            source.line(f"out += {source.bind('pack', pack)}({packing})")


def _refuse_array() -> NoReturn:
    raise Malformed("an array runs past the end")


# ------------------------------------------------------------------------------------ structs


class Nested:
    """A struct within another: the wire types of its fields, and the makers of reader and writer.

    Both are asked for a sliced function if the one around it is sliced and the struct `has_items`.
    """

    def __init__(
        self,
        name: str,
        wires: Callable[[], Sequence[Wire]],
        make_reader: Callable[[bool], Read],
        make_writer: Callable[[bool], Write],
    ) -> None:
        self._name = name
        self.wires = wires
        self._make_reader = make_reader
        self._make_writer = make_writer

    def read(self, source: Source, target: str) -> None:
        """See `Wire.read`."""
        sliced = source.sliced and has_items(self.wires())
        read = source.bind(f"read_{self._name}", self._make_reader(sliced))
        call = f"yield from {read}(buf, pos)" if sliced else f"{read}(buf, pos)"
        source.line(f"{target}, pos = {call}")

    def write(self, source: Source, value: str) -> None:
        """See `Wire.write`."""
        sliced = source.sliced and has_items(self.wires(), fixed=False)
        write = source.bind(f"write_{self._name}", self._make_writer(sliced))
        source.line(f"{'yield from ' if sliced else ''}{write}(out, {value})")


def has_items(wires: Iterable[Wire], *, fixed: bool = True) -> bool:
    """Whether any of these contains an array; ``fixed``: those of fixed width count, too."""
    return any(
        isinstance(each, Array)
        or (fixed and isinstance(each, FixedArray))
        or (isinstance(each, Nested) and has_items(each.wires(), fixed=fixed))
        or (isinstance(each, Nullable) and has_items([each.inner], fixed=fixed))
        for each in wires
    )


class Nullable:
    """A struct that may be null: a byte tells, 1 for there and *null* for null."""

    def __init__(self, inner: Wire, *, null: int) -> None:
        self.inner = inner
        self._null = null

    def read(self, source: Source, target: str) -> None:
        """See `Wire.read`."""
        source.line("pos += 1")
        absent = "not buf[pos - 1]" if self._null == 0 else "buf[pos - 1] > 127"
        with source.block(f"if {absent}"):
            source.line(f"{target} = None")
        with source.block("else"):
            self.inner.read(source, target)

    def write(self, source: Source, value: str) -> None:
        """See `Wire.write`."""
        with source.block(f"if {value} is None"):
            source.line(f"out.append({self._null})")
        with source.block("else"):
            source.line("out.append(1)")
            self.inner.write(source, value)
