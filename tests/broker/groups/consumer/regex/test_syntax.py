"""Character sets and named classes."""

from __future__ import annotations

import re
import string

import pytest

from broker.groups.consumer.regex.char_set import ALL, CharSet
from broker.groups.consumer.regex.syntax import PERL_CLASSES, POSIX_CLASSES, unicode_class


def members(charset: CharSet) -> str:
    """The characters of a set."""
    return "".join(chr(code) for code in range(128) if charset.ascii >> code & 1)


@pytest.mark.parametrize("name", "dw")
def test_perl_classes_are_limited_to_ascii(name: str) -> None:
    """As Python's with the ASCII flag."""
    pattern = re.compile(rf"\{name}", re.ASCII)

    assert members(PERL_CLASSES[name]) == "".join(filter(pattern.match, members(ALL)))


def test_space_has_no_vertical_tab() -> None:
    """In RE2, unlike Perl and Python."""
    assert set(members(PERL_CLASSES["s"])) == set(string.whitespace) - {"\v"}


def test_posix_classes_cover_ascii() -> None:
    """Each character is a control character, a space, a letter, a digit or punctuation."""
    parts = ("cntrl", "alpha", "digit", "punct")
    together = [members(POSIX_CLASSES[name]) for name in parts]

    assert sorted("".join(together) + " ") == sorted(members(ALL))
    assert POSIX_CLASSES["print"].ascii == POSIX_CLASSES["graph"].ascii | 1 << ord(" ")


@pytest.mark.parametrize(
    ("name", "characters", "others"),
    [
        ("Lu", "A\u00c9\u03a3", "a1\u00e9"),
        ("Pc", "_\u203f", "-"),
        ("C", "\n\u200b", "a\u0378"),
        ("Latin", "a\u00e9", "1\u03c3"),
        ("Common", "1-\u00d7", "a"),
        ("Greek", "\u03c3\u2126", "a"),
        ("Cherokee", "\u13a0", "a"),
        ("Any", "a\u13a0", ""),
    ],
)
def test_unicode_classes(name: str, characters: str, others: str) -> None:
    """Categories without unassigned characters, and scripts."""
    charset = unicode_class(name)
    assert charset is not None

    assert all(each in charset for each in characters)
    assert not any(each in charset for each in others)


def test_unknown_unicode_classes() -> None:
    """Cn is none in RE2/J."""
    assert unicode_class("Foo") is unicode_class("Cn") is None
