"""Generates the source that reads and writes values of each wire type.

A type's ``read`` generates lines that read a value from ``buf`` at ``pos`` and advance ``pos``; its
``write`` generates lines that append a value to ``out``. A length may exceed the available bytes:
the slice is then short, and the next read, or the last check of ``pos``, detects it. The lines are
as lenient as Kafka's generated classes: a negative length is null, and long varints and malformed
UTF-8 are accepted.

Reading raises `Malformed`, `IndexError` or `struct.error`. Writing a value that does not fit its
type raises `StringTooLong`, `struct.error` or another exception of Python. `protocol.codec`
converts these to one exception each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from struct import calcsize, pack
from typing import Any, NoReturn, Protocol

from protocol.codec_source import UUID_BYTES, CodecSource
from protocol.compact_length import read_long, read_long_of_text
from protocol.lazy_dataclass import dataclass
from protocol.output import Output
from protocol.schema import Sized
from protocol.string_limits import (
    REPLACEABLE_BYTES_MAX,
    STRING_BYTES_MAX,
    check_replaced,
    refuse_text,
)
from protocol.varints import Malformed, write_uvarint

# A sliced function yields after this many items of an array; a power of two.
ITEMS_PER_YIELD = 64

Read = Callable[[memoryview, int], tuple[Any, int]]
Write = Callable[[Output, Any], None]


class Wire(Protocol):
    """A wire type."""

    def read(self, source: CodecSource, target: str) -> None:
        """Generate the lines that read a value and assign it to *target*."""
        ...

    def write(self, source: CodecSource, value: str) -> None:
        """Generate the lines that append *value*, the name of a variable."""
        ...


# ------------------------------------------------------------------------------- fixed width


@dataclass(frozen=True)
class FixedWidth:
    """One value of fixed width, named by its `struct` format character."""

    format: str

    def read(self, source: CodecSource, target: str) -> None:
        """See `Wire.read`."""
        source.read_numbers(self.format, [target])

    def write(self, source: CodecSource, value: str) -> None:
        """See `Wire.write`."""
        source.write_numbers(self.format, [value])


class Uuids:
    """Sixteen bytes."""

    def read(self, source: CodecSource, target: str) -> None:
        """See `Wire.read`."""
        source.read_uuid(target)

    def write(self, source: CodecSource, value: str) -> None:
        """See `Wire.write`."""
        source.line(f"out += {value}.int.to_bytes({UUID_BYTES}, 'big')")


# ------------------------------------------------------------------------ preceded by a length


@dataclass(frozen=True)
class Length:
    """Classic ones are big-endian and null is -1; compact ones are varints plus one (KIP-482)."""

    format: str
    compact: bool
    nullable: bool
    of_text: bool = False

    def read(self, source: CodecSource, target: str) -> None:
        """Generate the lines that read it; negative for null, which may or may not be legal."""
        if not self.compact:
            source.read_numbers(self.format, [target])
            return
        source.line(f"{target} = {source.octets}[pos] - 1")
        source.line("pos += 1")
        with source.block(f"if {target} > 126"):
            read = source.bind("read_long", read_long_of_text if self.of_text else read_long)
            source.line(f"{target}, pos = {read}(buf, pos - 1)")

    def write(self, source: CodecSource, value: str) -> None:
        """Generate the lines that append the length of *value*."""
        if not self.compact:
            self._refuse_long_text(source, value)
            source.write_numbers(self.format, [f"len({value})"])
            return
        n = source.local("n")
        source.line(f"{n} = len({value}) + 1")
        with source.block(f"if {n} < 128"):
            source.line(f"out.append({n})")
        with source.block("else"):
            self._refuse_long_text(source, value)
            source.line(f"{source.bind('write_uvarint', write_uvarint)}(out, {n})")

    def _refuse_long_text(self, source: CodecSource, value: str) -> None:
        if self.of_text:
            with source.block(f"if len({value}) > {STRING_BYTES_MAX}"):
                source.line(f"{source.bind('refuse_text', refuse_text)}({value})")

    @contextmanager
    def reading(self, source: CodecSource, target: str) -> Iterator[str]:
        """Generate the lines for null; lines appended inside use the length, by the given name."""
        n = source.local("n")
        self.read(source, n)
        with source.block(f"if {n} < 0"):
            if self.nullable:
                source.line(f"{target} = None")
            else:
                source.line(f"{source.bind('refuse_null', refuse_null)}()")
        with source.block("else"):
            yield n

    @contextmanager
    def writing(self, source: CodecSource, value: str) -> Iterator[None]:
        """Generate the lines for null; lines appended inside are for a non-null *value*."""
        if not self.nullable:
            yield
            return
        with source.block(f"if {value} is None"):
            null = bytes(1) if self.compact else pack(f">{self.format}", -1)
            source.line(f"out += {null!r}")
        with source.block("else"):
            yield


def refuse_null() -> NoReturn:
    """Raise `Malformed` for a null that is not legal."""
    raise Malformed("null where a value is required")


class SizedValue:
    """Text, bytes or records preceded by their length; bytes and records are read as views."""

    def __init__(self, kind: Sized, *, nullable: bool, compact: bool) -> None:
        self._kind = kind
        self._length = Length(kind.length, compact, nullable, of_text=kind.text)

    def read(self, source: CodecSource, target: str) -> None:
        """See `Wire.read`."""
        with self._length.reading(source, target) as n:
            value = source.text(n) if self._kind.text else f"buf[pos : pos + {n}]"
            source.line(f"{target} = {value}")
            if self._kind.text:
                with source.block(f"if {n} > {REPLACEABLE_BYTES_MAX}"):
                    source.line(f"{source.bind('check_replaced', check_replaced)}({target})")
            source.line(f"pos += {n}")

    def write(self, source: CodecSource, value: str) -> None:
        """See `Wire.write`."""
        with self._length.writing(source, value):
            raw = source.local("raw") if self._kind.text else value
            if self._kind.text:
                source.line(f"{raw} = {value}.encode()")
            self._length.write(source, raw)
            source.line(f"out.splice({raw})" if self._kind.spliced else f"out += {raw}")


class Array:
    """Items preceded by their count; an item has at least one byte, which limits the count.

    A sliced reader yields the number of items before it reads any, then 0 after every few items; a
    sliced writer yields after every few.
    """

    def __init__(self, item: Wire, *, nullable: bool, compact: bool) -> None:
        self._item = item
        self._length = Length("i", compact, nullable)

    def read(self, source: CodecSource, target: str) -> None:
        """See `Wire.read`."""
        items, item = source.local("items"), source.local("item")
        with self._length.reading(source, target) as n:
            with source.block(f"if {n} > len(buf) - pos"):
                source.line(f"{source.bind('refuse_array', refuse_array)}()")
            if source.sliced:
                source.line(f"yield {n}")
            source.line(f"{items} = []")
            with source.block(f"for _ in range({n})"):
                self._item.read(source, item)
                source.line(f"{items}.append({item})")
                if source.sliced:
                    with source.block(f"if not len({items}) & {ITEMS_PER_YIELD - 1}"):
                        source.line("yield 0")
            source.line(f"{target} = {items}")

    def write(self, source: CodecSource, value: str) -> None:
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
    """Items of fixed width preceded by their count, all in one `struct` call.

    A sliced reader yields the number of items.
    """

    def __init__(self, format_: str, *, nullable: bool, compact: bool) -> None:
        self._format = format_
        self._length = Length("i", compact, nullable)

    def read(self, source: CodecSource, target: str) -> None:
        """See `Wire.read`."""
        with self._length.reading(source, target) as n:
            size = f"{n} * {calcsize(f'>{self._format}')}"
            with source.block(f"if {size} > len(buf) - pos"):
                source.line(f"{source.bind('refuse_array', refuse_array)}()")
            if source.sliced:
                source.line(f"yield {n}")
            source.read_array(self._format, target, n)

    def write(self, source: CodecSource, value: str) -> None:
        """See `Wire.write`."""
        with self._length.writing(source, value):
            self._length.write(source, value)
            packing = f"f'>{{len({value})}}{self._format}', *{value}"
            source.line(f"out += {source.bind('pack', pack)}({packing})")


def refuse_array() -> NoReturn:
    """Raise `Malformed` for a count that is larger than the number of bytes."""
    raise Malformed("an array extends beyond the end")


# ------------------------------------------------------------------------------------ structs


class EncodedItem:
    """A nested struct whose bytes are written as they are."""

    def read(self, source: CodecSource, target: str) -> None:  # noqa: ARG002 - see `Wire`
        """There is no reader: the type of the struct is unknown."""
        raise TypeError(f"{target} is an encoded struct, which can only be written")

    def write(self, source: CodecSource, value: str) -> None:
        """See `Wire.write`."""
        source.line(f"out += {value}")


class Nested:
    """A nested struct: the wire types of its fields, and what generates its reader and writer.

    Both are sliced functions if the enclosing one is sliced and the struct `has_items`.
    """

    def __init__(
        self,
        cls: Any,
        wires: Callable[[], Sequence[Wire]],
        make_reader: Callable[[CodecSource], Read],
        make_writer: Callable[[CodecSource], Write],
    ) -> None:
        self._cls = cls
        self.wires = wires
        self._make_reader = make_reader
        self._make_writer = make_writer

    def read(self, source: CodecSource, target: str) -> None:
        """See `Wire.read`."""
        sliced = source.sliced and has_items(self.wires())
        made = self._make_reader(source.begin("read", self._cls, sliced=sliced))
        call = f"{source.bind(f'read_{self._cls.__name__}', made)}({source.position})"
        source.line(f"{target}, pos = {'yield from ' if sliced else ''}{call}")

    def write(self, source: CodecSource, value: str) -> None:
        """See `Wire.write`."""
        sliced = source.sliced and has_items(self.wires(), fixed=False)
        made = self._make_writer(source.begin("write", self._cls, sliced=sliced))
        write = source.bind(f"write_{self._cls.__name__}", made)
        source.line(f"{'yield from ' if sliced else ''}{write}(out, {value})")


def has_items(wires: Iterable[Wire], *, fixed: bool = True) -> bool:
    """Whether any of these contains an array; ``fixed``: arrays of fixed-width items count, too."""
    return any(
        isinstance(each, Array)
        or (fixed and isinstance(each, FixedArray))
        or (isinstance(each, Nested) and has_items(each.wires(), fixed=fixed))
        or (isinstance(each, Nullable) and has_items([each.inner], fixed=fixed))
        for each in wires
    )


class Nullable:
    """A struct that may be null, preceded by a byte: 1 if present and *null* if null."""

    def __init__(self, inner: Wire, *, null: int) -> None:
        self.inner = inner
        self._null_byte = null

    def read(self, source: CodecSource, target: str) -> None:
        """See `Wire.read`."""
        source.line("pos += 1")
        octet = f"{source.octets}[pos - 1]"
        absent = f"not {octet}" if self._null_byte == 0 else f"{octet} > 127"
        with source.block(f"if {absent}"):
            source.line(f"{target} = None")
        with source.block("else"):
            self.inner.read(source, target)

    def write(self, source: CodecSource, value: str) -> None:
        """See `Wire.write`."""
        with source.block(f"if {value} is None"):
            source.line(f"out.append({self._null_byte})")
        with source.block("else"):
            source.line("out.append(1)")
            self.inner.write(source, value)
