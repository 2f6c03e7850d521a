"""Descriptions of messages."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import cast

from protocol.schema import FOREVER, Spec, int32, message, since, string


@message(99, versions=(1, 3), flexible=2)
class Example:
    """A message with a field that came later and one that went."""

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
    """Key, versions and the first flexible version are on the class, not in the way of fields."""
    assert Example.__spec__ == Spec(99, range(1, 4), 2)  # type: ignore[attr-defined]  # set by @message
    assert Example(name="x") == Example(name="x", later=-1, gone=0)
    assert not hasattr(Example(name="x"), "__dict__")


def test_messages_are_equal_by_their_fields() -> None:
    """Of one class; and since they can change, none is a key."""
    one, other = Example(name="x"), cast("object", Other(name="x"))

    assert one == Example(name="x")
    assert one != Example(name="x", later=1)
    assert one != other
    assert not isinstance(one, Hashable)


def test_a_message_shows_its_fields() -> None:
    """As a dataclass does."""
    assert repr(Example(name="x")) == "Example(name='x', later=-1, gone=0)"


def test_a_field_knows_its_versions() -> None:
    """From when, and until when."""
    spans = {field.name: field.metadata for field in dataclasses.fields(Example)}

    assert (spans["later"]["since"], spans["later"]["until"]) == (2, FOREVER)
    assert (spans["gone"]["since"], spans["gone"]["until"]) == (0, 1)
