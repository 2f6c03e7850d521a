"""The order of Java's strings."""

from __future__ import annotations

from broker.common.java_strings import java_order, trimmed


def test_strings_are_compared_by_utf16_units() -> None:
    """A character outside the basic plane has surrogates, which come before U+FF5E."""
    assert sorted(["\uff5e", "\U0001f600", "a"], key=java_order) == ["a", "\U0001f600", "\uff5e"]


def test_trimmed_texts_lack_ascii_spaces_and_control_characters() -> None:
    """Other white space remains, as in ``String.trim``."""
    assert trimmed(" \t\0x y\r\n\x1f") == "x y"
    assert trimmed("\xa0x\u2003") == "\xa0x\u2003"
