"""Text of foreign records, fit for terminals and pages."""

from __future__ import annotations

from pipeline.printable import printable, printable_row


def test_what_is_not_printable_is_escaped() -> None:
    """Escape sequences, line breaks and marks that turn the direction of text."""
    assert printable("a\x1b[2J\r\n\u202eb\x9b") == r"a\x1b[2J\r\n\u202eb\x9b"
    assert printable("é · 訂單") == "é · 訂單"


def test_the_texts_of_a_row_are_escaped() -> None:
    """And nothing else of it."""
    assert printable_row({"a": "\x1b", "b": 3, "c": None}) == {"a": r"\x1b", "b": 3, "c": None}
