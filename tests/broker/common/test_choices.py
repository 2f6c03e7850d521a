"""The message for a value that is not one of the valid ones."""

from __future__ import annotations

import pytest

from broker.common.choices import LISTED_MAX, no_such_node, not_one_of

MANY = ["Fetch", "Produce", *(f"Name{number}" for number in range(LISTED_MAX))]


def test_few_choices_are_listed() -> None:
    """All of them."""
    assert not_one_of("yes", ["before", "after"]) == "'yes' is not one of before, after"


@pytest.mark.parametrize("value", ["Prodce", "produce", "PRODUCED"])
def test_the_closest_of_many_choices_is_suggested(value: str) -> None:
    """The case does not matter."""
    assert not_one_of(value, MANY) == f"{value!r} is unknown; did you mean Produce?"


@pytest.mark.parametrize(("value", "quoted"), [("rain", "'rain'"), (7, "7")])
def test_some_of_many_choices_are_named_if_none_is_close(value: object, quoted: str) -> None:
    """With the number of the others."""
    more = len(MANY) - 3
    assert not_one_of(value, MANY) == (
        f"{quoted} is unknown; there are Fetch, Produce, Name0 and {more} more"
    )


def test_a_long_value_is_shortened() -> None:
    """The message has its beginning."""
    assert not_one_of("x" * 99, ["a"]) == f"'{'x' * 56}... is not one of a"


def test_the_nodes_that_exist_are_listed() -> None:
    """In the order of their ids."""
    assert no_such_node(4, [10, 2, 1]) == "there is no node 4, only 1, 2, 10"
