"""Hash codes and hash tables of Java."""

from __future__ import annotations

import pytest

from broker.common.java_hash import (
    capacity_of_copy,
    in_checked_order,
    in_hash_order,
    in_timeline_order,
    string_hash,
)


@pytest.mark.parametrize(
    ("text", "value"), [("", 0), ("a", 97), ("abc", 96354), ("polygenelubricants", -(2**31))]
)
def test_the_hash_code_of_a_string(text: str, value: int) -> None:
    """As documented for ``String.hashCode``; sums wrap around as in Java."""
    assert string_hash(text) == value


def test_hash_tables_are_iterated_by_bucket() -> None:
    """A ``HashMap`` of these three returns them by hash code, not by age."""
    assert in_hash_order(["c", "a", "b"], string_hash) == ["a", "b", "c"]


def test_a_table_starts_with_the_capacity_of_its_constructor() -> None:
    """With 8 buckets, ``i`` (105) comes before ``b`` (98); with 16, the default, after it."""
    assert in_hash_order(["b", "i"], string_hash, 8) == ["i", "b"]
    assert in_hash_order(["b", "i"], string_hash) == ["b", "i"]


def test_names_are_checked_in_the_order_of_a_table() -> None:
    """Long ones in the given order, so that a request with them takes no more time."""
    names = ["transaction1", "new1"]

    assert list(in_checked_order(names)) == ["new1", "transaction1"]
    assert list(in_checked_order([*names, "x" * 2000])) == [*names, "x" * 2000]


def test_a_table_grows_when_more_than_three_quarters_of_it_are_used() -> None:
    """Three keys in a table of two buckets need four, where each key has its own."""
    assert in_hash_order(["c", "b", "a"], string_hash, 2) == ["a", "b", "c"]


@pytest.mark.parametrize(("size", "capacity"), [(0, 16), (11, 16), (12, 17), (24, 33)])
def test_the_capacity_of_a_copied_set(size: int, capacity: int) -> None:
    """It is at least 16, and the set is not grown by the elements that it is made from."""
    assert capacity_of_copy(size) == capacity


def test_timeline_tables_are_iterated_by_the_highest_bits() -> None:
    """A ``TimelineHashMap`` returns these in another order than a ``HashMap``."""
    keys = ["a", "b", "c", "d", "e"]

    assert in_timeline_order(keys, string_hash) == ["c", "e", "b", "d", "a"]


def test_keys_of_a_bucket_of_a_timeline_table_are_returned_from_the_last_to_the_first() -> None:
    """These two have the same hash code."""
    assert in_timeline_order(["Aa", "BB"], string_hash) == ["BB", "Aa"]
