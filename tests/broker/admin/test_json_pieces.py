"""Tests of JSON in pieces: `broker.admin.json_pieces`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.admin.json_pieces import PIECE_ITEMS, json_pieces

PARTITION = {"partition": 1, "leader": 2, "replicas": [{"node": 1}, {"node": 2}], "isr": (1, 2)}
LEAVES = st.none() | st.booleans() | st.integers() | st.text() | st.just([0] * PIECE_ITEMS)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner)
)


@given(VALUES)
def test_the_pieces_are_the_json_of_the_value(value: object) -> None:
    """However its containers are nested."""
    assert "".join(json_pieces(value)) == json.dumps(value)


@pytest.mark.parametrize(
    "value",
    [
        {"topics": [{"name": "t", "partitions": [PARTITION] * 10_000}]},
        {"topics": [{"name": "t", "partitions": [PARTITION]}] * 10_000},
        [[0] * PIECE_ITEMS * 3] * 3,
        [[[[0] * PIECE_ITEMS]]],
        [list(range(100))] * 100,
    ],
    ids=["long", "many", "lists", "nested", "pairs"],
)
def test_no_piece_is_large(value: object) -> None:
    """A piece takes a limited time."""
    pieces = list(json_pieces(value))
    assert "".join(pieces) == json.dumps(value)
    assert max(map(len, pieces)) < PIECE_ITEMS * 30


def test_a_small_value_is_one_piece() -> None:
    """Most responses are small."""
    assert list(json_pieces({"a": [1, "b"]})) == ['{"a": [1, "b"]}']
