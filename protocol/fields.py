"""Determines the fields of a message class in one version, and their wire types."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from protocol.schema import FOREVER, Fixed, Sized


class Field(NamedTuple):
    """One field of a struct in one version."""

    name: str
    hint: Any
    is_optional: bool  # its annotation allows None
    nullable: bool  # this version does
    default: Callable[[], Any]
    is_spelt: bool = False

    @property
    def is_fixed(self) -> bool:
        """Whether its encoding always has the same size."""
        return isinstance(self.hint, Fixed)

    @property
    def is_struct(self) -> bool:
        """Whether it is a single struct; a tagged one is absent if None, never null on the wire."""
        return dataclasses.is_dataclass(self.hint) and not isinstance(self.hint, Fixed | Sized)


def fields_of(cls: Any, version: int) -> tuple[list[Field], dict[int, Field]]:
    """The fields of *version*: the plain ones in order, and the tagged ones by tag."""
    hints = get_type_hints(cls, include_extras=True)
    plain, tagged = [], {}
    for field in dataclasses.fields(cls):
        span = field.metadata
        if not span.get("since", 0) <= version <= span.get("until", FOREVER):
            continue
        hint, is_optional = wire_type(hints[field.name])
        nullable = is_optional and version >= span.get("null", 0)
        is_spelt = span.get("spelt", False)
        # A field with an explicit null has no default that could be omitted.
        default = object if is_spelt else _default_of(field)
        one = Field(field.name, hint, is_optional, nullable, default, is_spelt)
        if (tag := span.get("tag")) is None:
            plain.append(one)
        else:
            tagged[tag] = one
    return plain, dict(sorted(tagged.items()))


def wire_type(hint: Any) -> tuple[Any, bool]:
    """The wire type of an annotation, and whether it may be null."""
    if get_origin(hint) in (Union, types.UnionType):
        present = [inner for inner in get_args(hint) if inner is not type(None)]
        assert len(present) == 1, hint
        return wire_type(present[0])[0], True
    if meta := getattr(hint, "__metadata__", None):
        return meta[0], False
    return hint, False


def _default_of(field: dataclasses.Field[Any]) -> Callable[[], Any]:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory
    return lambda: field.default
