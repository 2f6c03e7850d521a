"""The source of a reader or a writer, with the lines that depend on how it is compiled.

`protocol.structs` and `protocol.wire` generate the other lines. A `CodecSource` is compiled by the
interpreter when a message is first read or written; the sources of a compiled build, which
`compiling.typed_source` writes to a module, have types.

    read(buf, pos) -> (value, pos)      write(out, it)      read_tags(buf, pos, it) -> pos
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from struct import Struct, calcsize, unpack_from
from typing import Any, ClassVar, Final
from uuid import UUID

from protocol.fields import Field
from protocol.java_text import JAVA_REPLACE
from protocol.schema import ZERO_UUID
from protocol.source import Source

_PARAMETERS: Final = {"read": "buf, pos", "write": "out, it", "read_tags": "buf, pos, it"}
UUID_BYTES: Final = 16
_UUIDS_KEPT: Final = 1024


class CodecSource(Source):
    """The source of a function of the given *kind* for a struct, or for a value of another type."""

    # The name of the bytes, for single ones, and how a reader calls another one.
    octets: ClassVar[str] = "buf"
    position: ClassVar[str] = "buf, pos"

    def __init__(self, kind: str, cls: Any, *, sliced: bool = False) -> None:
        super().__init__(kind, _PARAMETERS[kind], cls.__name__, sliced=sliced)

    def begin(self, kind: str, cls: Any, *, sliced: bool = False) -> CodecSource:
        """Begin another function that this one will call."""
        return CodecSource(kind, cls, sliced=sliced)

    # ------------------------------------------------------------------------------- reading

    def read_numbers(self, formats: str, targets: Sequence[str]) -> None:
        """Read adjacent values of fixed width by one `struct` call, which is much faster."""
        packer = Struct(f">{formats}")
        unpack = self.bind(f"unpack_{formats}".replace("?", "B"), packer.unpack_from)
        self.line(f"{''.join(f'{each}, ' for each in targets)}= {unpack}(buf, pos)")
        self.line(f"pos += {packer.size}")

    def read_array(self, format_: str, target: str, n: str) -> None:
        """Read *n* values of the same fixed width, for which there are enough bytes."""
        unpack = self.bind("unpack_from", unpack_from)
        self.line(f"{target} = list({unpack}(f'>{{{n}}}{format_}', buf, pos))")
        self.line(f"pos += {n} * {calcsize(f'>{format_}')}")

    def read_uuid(self, target: str) -> None:
        """Read sixteen bytes."""
        raw = self.local("raw")
        self.read_numbers(f"{UUID_BYTES}s", [raw])
        self.line(f"{target} = {self.bind('uuids', known_uuids)}[{raw}]")

    def text(self, n: str) -> str:
        """The expression for the text in the next *n* bytes, or in fewer at the end."""
        return f"str(buf[pos : pos + {n}], 'utf-8', {JAVA_REPLACE!r})"

    def begin_struct(self, cls: Any) -> None:
        """Begin to read a struct."""
        self.line(f"it = {self.bind('new', cls.__new__)}({self.bind(cls.__name__, cls)})")

    def field(self, name: str) -> str:
        """What a field of the struct is assigned to."""
        return f"it.{name}"

    def end_struct(self, cls: Any, read: set[str]) -> None:
        """Set fields that are not in *read*, tagged or of another version, to their defaults."""
        for one in fields(cls):
            if one.name in read:
                continue
            if one.default_factory is not MISSING:
                self.line(f"it.{one.name} = {self.bind('factory', one.default_factory)}()")
            else:
                assert one.default is not MISSING, f"{cls.__name__}.{one.name} needs a default"
                self.line(f"it.{one.name} = {self.bind('default', one.default)}")

    # ------------------------------------------------------------------------------- writing

    def write_numbers(self, formats: str, values: Sequence[str]) -> None:
        """Write adjacent values of fixed width by one `struct` call."""
        name = self.bind(f"pack_{formats}".replace("?", "B"), Struct(f">{formats}").pack)
        self.line(f"out += {name}({', '.join(values)})")

    def get(self, value: str, field: Field) -> None:
        """Assign a field of the struct to the variable *value*."""
        self.line(f"{value} = it.{field.name}")

    def differs(self, value: str, default: Any) -> str:
        """The expression for whether *value*, a variable, is not the *default*."""
        if default == ZERO_UUID:
            return f"{value}.int != 0"  # a comparison of UUIDs is interpreted, and takes longer
        name = self.bind("default", default)
        return f"{value} is not {name} and {value} != {name}"


class _KnownUuids(dict[bytes, UUID]):
    """A broker reads the same few UUIDs repeatedly, so their objects are cached."""

    def __missing__(self, raw: bytes) -> UUID:
        if len(self) >= _UUIDS_KEPT:
            self.clear()
        value = self[raw] = UUID(bytes=raw)
        return value


known_uuids: Final = _KnownUuids()
