"""The places of a message: every field of it, of its structs, and of the items of its arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args, get_origin

from protocol.fields import fields_of, wire_type

Path = tuple[str | int, ...]


class Place(NamedTuple):
    """Where a value is in a message: names of fields and indexes of items; and its wire type."""

    path: Path
    hint: Any
    nullable: bool

    def __str__(self) -> str:
        return ".".join(map(str, self.path))


def places(message: Any, version: int, path: Path = ()) -> Iterator[Place]:
    """Every place that *message* has in *version*; of an array the first item's."""
    plain, tagged = fields_of(type(message), version)
    for field in (*plain, *tagged.values()):
        value = getattr(message, field.name)
        yield from _within(Place((*path, field.name), field.hint, field.nullable), value, version)


def _within(place: Place, value: Any, version: int) -> Iterator[Place]:
    yield place
    if get_origin(place.hint) is list and value:
        item, nullable = wire_type(get_args(place.hint)[0])
        yield from _within(Place((*place.path, 0), item, nullable), value[0], version)
    elif is_struct(place.hint) and value is not None:
        yield from places(value, version, place.path)


def is_struct(hint: Any) -> bool:
    """Whether a wire type is a struct with fields of its own."""
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)
