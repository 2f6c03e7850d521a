"""Escaped text of records."""

from __future__ import annotations

from pipeline.printable import printable, printable_row


def test_characters_that_are_not_printable_are_escaped() -> None:
    """Escape sequences, line breaks and directional marks are escaped."""
    assert printable("a\x1b[2J\r\n\u202eb\x9b") == r"a\x1b[2J\r\n\u202eb\x9b"
    assert printable("é · 訂單") == "é · 訂單"


def test_the_texts_of_a_row_are_escaped() -> None:
    """Only the texts of a row change, also those in lists and objects."""
    assert printable_row({"a": "\x1b", "b": 3, "c": None}) == {"a": r"\x1b", "b": 3, "c": None}
    nested = {"waits": [{"by": {"name": "\n"}, "us": 1}]}
    assert printable_row(nested) == {"waits": [{"by": {"name": r"\n"}, "us": 1}]}
