"""The order of Java's strings."""

from __future__ import annotations

from broker.common.java_strings import java_order


def test_strings_are_compared_by_utf16_units() -> None:
    """A character outside the basic plane has surrogates, which come before U+FF5E."""
    assert sorted(["\uff5e", "\U0001f600", "a"], key=java_order) == ["a", "\U0001f600", "\uff5e"]
