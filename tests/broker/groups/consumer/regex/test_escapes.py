"""Escapes and bracketed classes (as RE2/J parses them)."""

from __future__ import annotations

import pytest

from broker.groups.consumer.regex.char_set import ALL, CharSet, bits
from broker.groups.consumer.regex.escapes import escaped_charset, read_class, read_escape
from broker.groups.consumer.regex.reader import Reader
from broker.groups.consumer.regex.syntax import InvalidRegex


def of_class(pattern: str) -> CharSet:
    """The set of a class, whose opening bracket has been read."""
    reader = Reader(pattern)
    charset = read_class(reader)
    assert reader.at_end
    return charset


@pytest.mark.parametrize(
    ("escape", "character"),
    [
        (".", "."),
        ("\\", "\\"),
        ("-", "-"),
        ("t", "\t"),
        ("v", "\v"),
        ("a", "\a"),
        ("0", "\0"),
        ("012", "\n"),
        ("141", "a"),
        ("x61", "a"),
        ("x{61}", "a"),
        ("x{1F600}", "\N{GRINNING FACE}"),
        ("\u00e9", "\u00e9"),
    ],
)
def test_an_escape_is_one_character(escape: str, character: str) -> None:
    """Punctuation is literal, letters are control characters, digits are octal or hexadecimal."""
    reader = Reader(escape)

    assert read_escape(reader) == character
    assert reader.at_end


@pytest.mark.parametrize(
    "escape", ["q", "1", "8", "x", "x6", "x{}", "x{110000}", "x{FFFFFFFF}", "C", "Z"]
)
def test_invalid_escapes_are_refused(escape: str) -> None:
    """Back references included, which cannot be matched in linear time."""
    with pytest.raises(InvalidRegex, match="invalid escape sequence"):
        read_escape(Reader(escape))


def test_a_backslash_at_the_end_is_refused() -> None:
    """No character follows it."""
    with pytest.raises(InvalidRegex, match="trailing backslash"):
        read_escape(Reader(""))


@pytest.mark.parametrize(
    ("escape", "expected"),
    [
        ("d", bits("0123456789")),
        ("pN", bits("0123456789")),
        ("p{Nd}", bits("0123456789")),
        ("PN", ALL.ascii & ~bits("0123456789")),
        ("p{^Nd}", ALL.ascii & ~bits("0123456789")),
        ("P{^Nd}", bits("0123456789")),
    ],
)
def test_named_classes(escape: str, expected: int) -> None:
    """Of Perl and Unicode; a double negation has no effect."""
    charset = escaped_charset(Reader(escape))
    assert charset is not None
    assert charset.ascii == expected


def test_other_escapes_are_not_read_as_classes() -> None:
    """They are characters."""
    reader = Reader("t")

    assert escaped_charset(reader) is None
    assert reader.peek == "t"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("abc]", bits("abc")),
        ("a-c]", bits("abc")),
        ("^a-c]", ALL.ascii & ~bits("abc")),
        ("]a]", bits("]a")),
        ("^]]", ALL.ascii & ~bits("]")),
        ("-a]", bits("-a")),
        ("a-]", bits("a-")),
        (r"\]\-]", bits("]-")),
        (r"\x61-\x63]", bits("abc")),
        (r"\d_]", bits("0123456789_")),
        ("[:digit:]_]", bits("0123456789_")),
        ("[:^digit:]]", ALL.ascii & ~bits("0123456789")),
        ("[.]", bits("[.")),
    ],
)
def test_bracketed_classes(pattern: str, expected: int) -> None:
    """A bracket or a dash is literal where it has no other meaning."""
    assert of_class(pattern).ascii == expected


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "missing closing ]"),
        ("a", "missing closing ]"),
        ("]", "missing closing ]"),
        ("a-", "missing closing ]"),
        ("c-a]", "invalid character class range"),
        ("[:nonsense:]]", "invalid character class range"),
        (r"\p{Nonsense}]", "invalid character class range"),
        (r"\q]", "invalid escape sequence"),
    ],
)
def test_invalid_classes_are_refused(pattern: str, why: str) -> None:
    """With RE2/J's messages."""
    with pytest.raises(InvalidRegex, match=why):
        of_class(pattern)
