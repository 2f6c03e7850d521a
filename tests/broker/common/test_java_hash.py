"""Hashes as Java computes them."""

from __future__ import annotations

import pytest

from broker.common.java_hash import in_hash_order, string_hash


@pytest.mark.parametrize(
    ("text", "value"), [("", 0), ("a", 97), ("abc", 96354), ("polygenelubricants", -(2**31))]
)
def test_strings(text: str, value: int) -> None:
    """What ``String.hashCode`` is documented to return; sums overflow as Java's do."""
    assert string_hash(text) == value


def test_tables_go_by_buckets() -> None:
    """A ``HashMap`` of these three hands them out by their hashes, not by their age."""
    assert in_hash_order(["c", "a", "b"], string_hash) == ["a", "b", "c"]
