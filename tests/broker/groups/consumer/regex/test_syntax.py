"""Sets of characters, and those that have names."""

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
    """What is not ASCII is in no topic's name, so in no set."""
    assert members(chars("bab\u00e9")) == "ab"
    assert members(span(ord("x"), ord("z"))) == "xyz"
    assert members(span(ord("~"), 0x10FFFF)) == "~\x7f"
    assert span(0x80, 0x10FFFF) == NONE
    assert len(members(ALL)) == 128


def test_letters_in_either_case() -> None:
    """What is no letter stays as it is."""
    assert members(folded(chars("aZ1_"))) == "1AZ_az"


@pytest.mark.parametrize("name", "dDwW")
def test_perl_s_classes_are_those_of_ascii(name: str) -> None:
    """As Python's are when they are told to keep to ASCII."""
    pattern = re.compile(rf"\{name}", re.ASCII)

    assert members(PERL_CLASSES[name]) == "".join(filter(pattern.match, members(ALL)))


def test_space_has_no_vertical_tab() -> None:
    """In RE2, other than in Perl today and in Python."""
    assert set(members(PERL_CLASSES["s"])) == set(string.whitespace) - {"\v"}
    assert PERL_CLASSES["S"] == ALL & ~PERL_CLASSES["s"]


def test_posix_classes_add_up() -> None:
    """Each character is a control character, a space, a letter, a digit or punctuation."""
    parts = ("cntrl", "alpha", "digit", "punct")
    together = [members(POSIX_CLASSES[name]) for name in parts]

    assert sorted("".join(together) + " ") == sorted(members(ALL))
    assert POSIX_CLASSES["alnum"] == POSIX_CLASSES["alpha"] | POSIX_CLASSES["digit"]
    assert POSIX_CLASSES["print"] == POSIX_CLASSES["graph"] | chars(" ")


def test_unicode_s_classes_keep_to_ascii() -> None:
    """A script that has no letters there matches nothing; a category contains its parts."""
    assert members(UNICODE_CLASSES["Lu"]) == string.ascii_uppercase
    assert UNICODE_CLASSES["L"] == UNICODE_CLASSES["Lu"] | UNICODE_CLASSES["Ll"]
    assert members(UNICODE_CLASSES["Pc"]) == "_"
    assert UNICODE_CLASSES["Greek"] == NONE
    assert UNICODE_CLASSES["Latin"] | UNICODE_CLASSES["Common"] == ALL
