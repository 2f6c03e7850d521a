"""Hash codes and hash tables of Java."""

from __future__ import annotations

import pytest

from broker.common.java_hash import in_hash_order, string_hash


@pytest.mark.parametrize(
    ("text", "value"), [("", 0), ("a", 97), ("abc", 96354), ("polygenelubricants", -(2**31))]
)
def test_the_hash_code_of_a_string(text: str, value: int) -> None:
    """As documented for ``String.hashCode``; sums wrap around as in Java."""
    assert string_hash(text) == value


def test_hash_tables_are_iterated_by_bucket() -> None:
    """A ``HashMap`` of these three returns them by hash code, not by age."""
    assert in_hash_order(["c", "a", "b"], string_hash) == ["a", "b", "c"]
