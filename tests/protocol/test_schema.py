"""Tests of the description of messages."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import cast

from protocol.schema import FOREVER, Spec, int32, message, since, string


@message(99, versions=(1, 3), flexible=2)
class Example:
    """A message with a field that was added later and one that was removed."""

    name: string
    later: int32 = since(2, default=-1)
    gone: int32 = since(0, until=1, default=0)


@message(99, versions=(1, 3), flexible=2)
class Other:
    """Another message with the same fields."""

    name: string
    later: int32 = since(2, default=-1)
    gone: int32 = since(0, until=1, default=0)


def test_a_message_is_a_dataclass_with_a_specification() -> None:
    """Key, versions and first flexible version are a class attribute, not a field."""
    assert Example.__spec__ == Spec(99, range(1, 4), 2)  # type: ignore[attr-defined]  # set by @message
    assert Example(name="x") == Example(name="x", later=-1, gone=0)
    assert not hasattr(Example(name="x"), "__dict__")


def test_messages_are_equal_by_their_fields() -> None:
    """Messages of one class are compared by fields; they are mutable and so not hashable."""
    one, other = Example(name="x"), cast("object", Other(name="x"))

    assert one == Example(name="x")
    assert one != Example(name="x", later=1)
    assert one != other
    assert not isinstance(one, Hashable)


def test_a_message_shows_its_fields() -> None:
    """The repr of a message is that of a dataclass."""
    assert repr(Example(name="x")) == "Example(name='x', later=-1, gone=0)"


def test_a_field_knows_its_versions() -> None:
    """A field has its first and its last version."""
    spans = {field.name: field.metadata for field in dataclasses.fields(Example)}

    assert (spans["later"]["since"], spans["later"]["until"]) == (2, FOREVER)
    assert (spans["gone"]["since"], spans["gone"]["until"]) == (0, 1)
