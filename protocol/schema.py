"""Describes a versioned binary message as an annotated dataclass.

    @body(HEARTBEAT)  # of protocol.apis: key 12, versions 0 to 4, flexible since 4
    class HeartbeatRequest:
        group_id: string
        generation_id: int32
        member_id: string
        group_instance_id: string | None = since(3, default=None)
Each field is an annotated attribute; keywords give its versions. Type checkers see ``str`` and
``int``; `protocol.codec` uses the wire types. ``T | None`` may be null, ``list[T]`` is an array. A
field that a version does not have reads as its default, and an absent tagged struct as None.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING
from typing import Annotated, Any, ClassVar, Protocol, TypeVar, dataclass_transform
from uuid import UUID

from protocol.lazy_dataclass import dataclass

T = TypeVar("T")

FOREVER = 1 << 15
ZERO_UUID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A wire type of fixed width, named by its `struct` format character."""

    format: str


@dataclass(frozen=True, slots=True)
class Sized:
    """A wire type preceded by its length: text, bytes, or a set of records."""

    length: str  # struct format of the classic length prefix
    text: bool = False
    spliced: bool = False  # large values are sent without a copy


class Uuid:
    """Sixteen raw bytes."""


class Encoded:
    """A struct that is encoded already (`protocol.slices.encode_item`); it can only be written."""


int8 = Annotated[int, Fixed("b")]
int16 = Annotated[int, Fixed("h")]
int32 = Annotated[int, Fixed("i")]
int64 = Annotated[int, Fixed("q")]
uint16 = Annotated[int, Fixed("H")]
float64 = Annotated[float, Fixed("d")]
boolean = Annotated[bool, Fixed("?")]
uuid = Annotated[UUID, Uuid()]
encoded = Annotated[bytes, Encoded()]
string = Annotated[str, Sized("h", text=True)]
data = Annotated[bytes | bytearray | memoryview, Sized("i")]
record_set = Annotated[bytes | bytearray | memoryview, Sized("i", spliced=True)]


@dataclass(frozen=True, slots=True)
class Spec:
    """The key of a message's API or type, its versions, and the first flexible one (KIP-482)."""

    key: int
    versions: range
    flexible: int


class Message(Protocol):
    """The body of a request or a response."""

    __spec__: ClassVar[Spec]


def since(
    version: int = 0,
    *,
    until: int = FOREVER,
    tag: int | None = None,
    null: int = 0,
    spelt: bool = False,
    default: Any = MISSING,
    factory: Any = MISSING,
) -> Any:
    """A field on the wire from *version* to *until*; in other versions it reads as its default.

    ``tag`` makes it a tagged field; a ``T | None`` may be null from version ``null`` on. A tagged
    struct that is ``spelt`` is never absent: null is written explicitly.
    """
    span = {"since": version, "until": until, "tag": tag, "null": null, "spelt": spelt}
    return dataclasses.field(default=default, default_factory=factory, metadata=span)


@dataclass_transform(kw_only_default=True, field_specifiers=(since,))
def struct(cls: type[T]) -> type[T]:
    """Make *cls* a record that can be nested in a message."""
    return dataclass(slots=True, kw_only=True)(cls)


@dataclass_transform(kw_only_default=True, field_specifiers=(since,))
def body(spec: Spec) -> Callable[[type[T]], type[T]]:
    """Make *cls* the body of a request or a response of an API."""

    def decorate(cls: type[T]) -> type[T]:
        cls = struct(cls)
        setattr(cls, "__spec__", spec)  # noqa: B010 - a slotted class has no such attribute to type
        return cls

    return decorate


@dataclass_transform(kw_only_default=True, field_specifiers=(since,))
def message(
    key: int, *, versions: tuple[int, int], flexible: int = FOREVER
) -> Callable[[type[T]], type[T]]:
    """Make *cls* a message that no API has, as a record's key or value; *key* is that of its type.

    *versions* are the first and the last.
    """
    first, last = versions
    return body(Spec(key, range(first, last + 1), flexible))
