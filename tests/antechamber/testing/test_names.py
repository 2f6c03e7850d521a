"""Names made from the ids of tests."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antechamber.testing.names import readable, unique_prefix

VALID = re.compile("[a-zA-Z0-9_-]+")


@pytest.mark.parametrize(
    ("test_id", "name"),
    [
        ("tests/unit/test_orders.py::test_one", "test_orders-py-test_one"),
        ("test_orders.py::Test::test_one[a/b c.d]", "test_orders-py-Test-test_one-a-b-c-d"),
        ("test_ü", "test_"),
        ("é", "test"),
    ],
)
def test_an_id_is_readable(test_id: str, name: str) -> None:
    """Folders are left out, and other characters than those of names are replaced."""
    assert readable(test_id, 100) == name


def test_a_long_id_is_cut() -> None:
    """Its end remains: the parameters differ."""
    assert readable("test_of_something[parameter]", 10) == "parameter"


@given(st.text())
def test_prefixes_are_valid_and_unique(name: str) -> None:
    """149 characters are left for the name of a topic."""
    one, two = unique_prefix(name), unique_prefix(name)

    assert VALID.fullmatch(one)
    assert one.endswith("-")
    assert len(one) <= 100
    assert one != two
