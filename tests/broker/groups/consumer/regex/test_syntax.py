"""Character sets and named classes."""

from __future__ import annotations

import re
import string

import pytest

from broker.groups.consumer.regex.syntax import (
    ALL,
    NONE,
    PERL_CLASSES,
    POSIX_CLASSES,
    UNICODE_CLASSES,
    CharSet,
    chars,
    folded,
    span,
)


def members(charset: CharSet) -> str:
    """The characters of a set."""
    return "".join(chr(code) for code in range(128) if charset >> code & 1)


def test_sets_of_characters() -> None:
    """Characters that are not ASCII are in no set."""
    assert members(chars("bab\u00e9")) == "ab"
    assert members(span(ord("x"), ord("z"))) == "xyz"
    assert members(span(ord("~"), 0x10FFFF)) == "~\x7f"
    assert span(0x80, 0x10FFFF) == NONE
    assert len(members(ALL)) == 128


def test_folding_adds_the_other_case() -> None:
    """Other characters are unchanged."""
    assert members(folded(chars("aZ1_"))) == "1AZ_az"


@pytest.mark.parametrize("name", "dDwW")
def test_perl_classes_are_limited_to_ascii(name: str) -> None:
    """As Python's with the ASCII flag."""
    pattern = re.compile(rf"\{name}", re.ASCII)

    assert members(PERL_CLASSES[name]) == "".join(filter(pattern.match, members(ALL)))


def test_space_has_no_vertical_tab() -> None:
    """In RE2, unlike Perl and Python."""
    assert set(members(PERL_CLASSES["s"])) == set(string.whitespace) - {"\v"}
    assert PERL_CLASSES["S"] == ALL & ~PERL_CLASSES["s"]


def test_posix_classes_cover_ascii() -> None:
    """Each character is a control character, a space, a letter, a digit or punctuation."""
    parts = ("cntrl", "alpha", "digit", "punct")
    together = [members(POSIX_CLASSES[name]) for name in parts]

    assert sorted("".join(together) + " ") == sorted(members(ALL))
    assert POSIX_CLASSES["alnum"] == POSIX_CLASSES["alpha"] | POSIX_CLASSES["digit"]
    assert POSIX_CLASSES["print"] == POSIX_CLASSES["graph"] | chars(" ")


def test_unicode_classes_are_limited_to_ascii() -> None:
    """A script without ASCII letters is empty; a category contains its subcategories."""
    assert members(UNICODE_CLASSES["Lu"]) == string.ascii_uppercase
    assert UNICODE_CLASSES["L"] == UNICODE_CLASSES["Lu"] | UNICODE_CLASSES["Ll"]
    assert members(UNICODE_CLASSES["Pc"]) == "_"
    assert UNICODE_CLASSES["Greek"] == NONE
    assert UNICODE_CLASSES["Latin"] | UNICODE_CLASSES["Common"] == ALL
