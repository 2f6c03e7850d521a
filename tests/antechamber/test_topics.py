"""Topics in the arguments of `Cluster`."""

from __future__ import annotations

from typing import Any

import pytest

from antechamber.topics import named_topics


@pytest.mark.parametrize(
    ("topics", "named"),
    [
        (["a:3:1", "b"], ["a:3:1", "b"]),
        (("a",), ["a"]),
        ("a:3", ["a:3"]),
        ({"a": 3, "b": 1}, ["a:3", "b:1"]),
        ({}, []),
    ],
)
def test_topics_are_strings_or_a_mapping(topics: Any, named: list[str]) -> None:
    """A mapping contains numbers of partitions."""
    assert named_topics(topics) == named


@pytest.mark.parametrize("topics", [[3], [("a", 3)], {"a": "3"}, {"a": True}, {1: 1}, [b"a"], 7])
def test_anything_else_is_refused(topics: Any) -> None:
    """The error names the allowed values."""
    with pytest.raises(TypeError, match="or a mapping of names to partitions"):
        named_topics(topics)
