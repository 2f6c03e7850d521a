"""Parameters in docstrings become fields of the reference."""

from __future__ import annotations

from docs.parameters import fields


def test_a_parameter_becomes_a_field() -> None:
    """Its following lines are indented, so that they belong to it."""
    lines = [
        "A cluster.",
        "",
        "config: settings under",
        "Kafka's names.",
        "topics: the topics.",
        "",
    ]

    assert fields([*lines, "Use it in a ``with``."]) == [
        "A cluster.",
        "",
        ":param config: settings under",
        "    Kafka's names.",
        ":param topics: the topics.",
        "",
        "Use it in a ``with``.",
    ]


def test_other_text_is_unchanged() -> None:
    """A sentence with a colon is no parameter."""
    lines = ["Wait until it is so: the high watermark is the log's end.", "", "See also: `close`."]

    assert fields(lines) == lines
