"""Writes readers and writers as functions of a module that mypyc compiles.

    read_T(raw: bytes, buf: memoryview, pos: int) -> tuple[T, int]
    write_T(out: Output, it: T) -> None

``raw`` and ``buf`` are the same bytes: mypyc reads an item of `bytes` without an object for it, and
values that are views refer to ``buf``. Versions whose functions have the same lines share one.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, calcsize
from typing import Any, ClassVar, Final

from protocol.codec_source import UUID_BYTES, CodecSource
from protocol.fields import Field
from protocol.java_text import JAVA_REPLACE

_READ: Final = {
    "?": "boolean_at",
    "b": "int8_at",
    "h": "int16_at",
    "H": "uint16_at",
    "i": "int32_at",
    "q": "int64_at",
}
_HEADS: Final = {
    "read": "raw: bytes, buf: memoryview, pos: int) -> tuple[{0}, int]",
    "read_tags": "raw: bytes, buf: memoryview, pos: int, it: {0}) -> int",
    "write": "out: Output, it: {0}) -> None",
}


class FunctionName(str):
    """The name of a function that is in the module."""

    __slots__ = ()


class CodecModule:
    """The functions of a module, and what they need above them."""

    def __init__(self) -> None:
        self._names: dict[str, FunctionName] = {}  # by their lines without the first
        self._functions: list[str] = []
        self._imports: dict[str, str] = {}
        self._constants: dict[str, str] = {}

    def import_name(self, module: str, name: str) -> str:
        """Import *name*, which is unambiguous; returns it."""
        assert self._imports.setdefault(name, module) == module, name
        return name

    def constant(self, name: str, expression: str) -> str:
        """Define a constant above the functions; returns its name."""
        self._constants[name] = expression
        return name

    def function(self, stem: str, head: str, lines: Sequence[str]) -> FunctionName:
        """Add a function, unless there is one with the same lines; returns its name."""
        body = "\n".join(lines)
        found = self._names.get(head + body)
        if found is None:
            number = sum(name.rstrip("0123456789") == f"{stem}_" for name in self._names.values())
            found = self._names[head + body] = FunctionName(f"{stem}_{number + 1}")
            self._functions.append(f"def {found}({head}:\n{body}\n")
        return found

    def source(self) -> str:
        """The text of the module."""
        imports = [f"from {module} import {name}" for name, module in self._imports.items()]
        constants = [f"{name}: Final = {value}" for name, value in self._constants.items()]
        return "\n".join([*imports, *constants, *self._functions])


class TypedSource(CodecSource):
    """The source of one function of *module*."""

    octets: ClassVar[str] = "raw"
    position: ClassVar[str] = "raw, buf, pos"

    def __init__(self, module: CodecModule, kind: str, cls: Any) -> None:
        super().__init__(kind, cls)
        self._module = module
        self._stem = f"{kind}_{cls.__name__}"
        self._head = _HEADS[kind].format(cls.__name__)

    def begin(self, kind: str, cls: Any, *, sliced: bool = False) -> CodecSource:
        """See `CodecSource.begin`."""
        assert not sliced
        return TypedSource(self._module, kind, cls)

    def bind(self, stem: str, value: Any) -> str:
        """Import *value*, a function, or define a constant for it."""
        if isinstance(value, FunctionName):
            return value
        if isinstance(packer := getattr(value, "__self__", None), Struct):
            return self._module.constant(stem, f"Struct({packer.format!r}).{value.__name__}")
        module = value.__module__.removeprefix("_")  # `struct` has its functions from `_struct`
        return self._module.import_name(module, value.__name__)

    def function(self) -> Any:
        """Add the function to the module; returns its name."""
        return self._module.function(self._stem, self._head, self.lines[1:])

    def read_numbers(self, formats: str, targets: Sequence[str]) -> None:
        """See `CodecSource.read_numbers`."""
        for format_, target in zip(formats, targets, strict=True):
            read = self._module.import_name("protocol.big_endian", _READ[format_])
            self.line(f"{target} = {read}(raw, pos)")
            self.line(f"pos += {calcsize(f'>{format_}')}")

    def read_array(self, format_: str, target: str, n: str) -> None:
        """See `CodecSource.read_array`."""
        numbers = self.local("numbers")
        self.line(f"{numbers} = []")
        with self.block(f"for _ in range({n})"):
            number = self.local("number")
            self.read_numbers(format_, [number])
            self.line(f"{numbers}.append({number})")
        self.line(f"{target} = {numbers}")

    def read_uuid(self, target: str) -> None:
        """See `CodecSource.read_uuid`."""
        read = self._module.import_name("protocol.big_endian", "uuid_at")
        self.line(f"{target} = {read}(raw, pos)")
        self.line(f"pos += {UUID_BYTES}")

    def text(self, n: str) -> str:
        """See `CodecSource.text`."""
        return f"raw[pos : pos + {n}].decode('utf-8', {JAVA_REPLACE!r})"

    def begin_struct(self, cls: Any) -> None:
        """See `CodecSource.begin_struct`; the fields are variables until all are read."""

    def field(self, name: str) -> str:
        """See `CodecSource.field`."""
        return f"{name}_"

    def end_struct(self, cls: Any, read: set[str]) -> None:
        """See `CodecSource.end_struct`; the initializer of the class has the defaults."""
        values = ", ".join(f"{name}={name}_" for name in sorted(read))
        self.line(f"it = {cls.__name__}({values})")

    def get(self, value: str, field: Field) -> None:
        """See `CodecSource.get`."""
        item = f"it.{field.name}"
        if field.is_optional and not field.nullable:
            item = f"{self._module.import_name('protocol.ready_codecs', 'not_none')}({item})"
        self.line(f"{value} = {item}")

    def differs(self, value: str, default: Any) -> str:
        """See `CodecSource.differs`."""
        if isinstance(default, int):
            return f"{value} != {default}"
        return f"len({value}) > 0" if default in ("", []) else super().differs(value, default)
