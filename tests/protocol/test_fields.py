"""Tests of the fields of a class in one version."""

from __future__ import annotations

from protocol.fields import fields_of, wire_type
from protocol.schema import Fixed, Sized, int8, int32, message, since, string, struct


@message(99, versions=(0, 3), flexible=2)
class Example:
    """A message with fields of every kind."""

    name: string | None = since(null=1)
    old: int32 = since(0, until=1, default=0)
    second: int8 = since(2, tag=1, default=7)
    first: list[Part] = since(2, tag=0, factory=list)
    part: Part | None = None


@struct
class Part:
    """A struct in it."""

    number: int32


def test_a_version_has_the_fields_of_its_span() -> None:
    """Plain fields are in the order of the class; tagged ones are separate and ordered by tag."""
    plain, tagged = fields_of(Example, 1)
    assert [field.name for field in plain] == ["name", "old", "part"]
    assert not tagged

    plain, tagged = fields_of(Example, 2)
    assert [field.name for field in plain] == ["name", "part"]
    assert [(tag, field.name) for tag, field in tagged.items()] == [(0, "first"), (1, "second")]


def test_a_field_may_be_null_from_a_version_on() -> None:
    """With ``since(null=1)`` null is not legal in v0."""
    for version, legal in ((0, False), (1, True), (2, True)):
        assert fields_of(Example, version)[0][0].nullable == legal


def test_a_field_knows_its_kind_and_its_default() -> None:
    """A field has its width, kind and default; a factory creates a new default each time."""
    plain, tagged = fields_of(Example, 3)
    name, part = plain

    assert not name.is_fixed
    assert part.is_struct
    assert tagged[1].is_fixed
    assert tagged[1].default() == 7
    assert tagged[0].default() == []
    assert tagged[0].default() is not tagged[0].default()


def test_an_annotation_names_a_wire_type() -> None:
    """The union of any type with None may be null."""
    assert wire_type(int32) == (Fixed("i"), False)
    assert wire_type(string | None) == (Sized("h", text=True), True)
    assert wire_type(Part | None) == (Part, True)
    assert wire_type(list[int32]) == (list[int32], False)
