"""The syntax tree of a pattern, and the named character classes."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from types import MappingProxyType

from protocol.lazy_dataclass import dataclass

# A set of ASCII characters: bit n is chr(n).
CharSet = int

ASCII_COUNT = 128
NONE: CharSet = 0
ALL: CharSet = (1 << ASCII_COUNT) - 1


class InvalidRegex(ValueError):  # noqa: N818 - it names the pattern
    """A pattern is invalid; the message is RE2/J's."""


class Assertion(Enum):
    """A condition on the position between two characters."""

    BEGIN = "^"
    END = "$"
    WORD_BOUNDARY = r"\b"
    NO_WORD_BOUNDARY = r"\B"


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set."""

    charset: CharSet


@dataclass(frozen=True, slots=True)
class Place:
    """The empty text, if a condition holds."""

    assertion: Assertion


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts that match one after the other; without parts it matches the empty text."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several alternatives."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part that matches repeatedly; ``most`` is None if there is no limit."""

    part: Node
    least: int
    most: int | None


Node = Chars | Place | Sequence | Choice | Repeat


def chars(text: Iterable[str]) -> CharSet:
    """The set of the ASCII characters of *text*; topic names contain no others."""
    charset = NONE
    for each in text:
        if ord(each) < ASCII_COUNT:
            charset |= 1 << ord(each)
    return charset


def span(first: int, last: int) -> CharSet:
    """The set of the characters from one code point to another."""
    return chars(map(chr, range(first, min(last, ASCII_COUNT - 1) + 1)))


@cache
def folded(charset: CharSet) -> CharSet:
    """The set with the letters of both cases."""
    letters = [chr(code) for code in range(ASCII_COUNT) if charset >> code & 1]
    return charset | chars("".join(letters).swapcase())


DIGITS = chars(string.digits)
WORD = chars(string.ascii_letters + string.digits + "_")

PERL_CLASSES: Mapping[str, CharSet] = MappingProxyType(
    {
        "d": DIGITS,
        "D": ALL & ~DIGITS,
        "s": chars("\t\n\f\r "),
        "S": ALL & ~chars("\t\n\f\r "),
        "w": WORD,
        "W": ALL & ~WORD,
    }
)

POSIX_CLASSES: Mapping[str, CharSet] = MappingProxyType(
    {
        "alnum": chars(string.ascii_letters + string.digits),
        "alpha": chars(string.ascii_letters),
        "ascii": ALL,
        "blank": chars("\t "),
        "cntrl": span(0, 0x1F) | chars("\x7f"),
        "digit": DIGITS,
        "graph": span(0x21, 0x7E),
        "lower": chars(string.ascii_lowercase),
        "print": span(0x20, 0x7E),
        "punct": chars(string.punctuation),
        "space": chars(string.whitespace),
        "upper": chars(string.ascii_uppercase),
        "word": WORD,
        "xdigit": chars(string.hexdigits),
    }
)

_LETTERS = chars(string.ascii_letters)
# Names of scripts without ASCII characters.
_SCRIPTS_BEYOND_ASCII = (
    *("Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Georgian", "Greek", "Han"),
    *("Hangul", "Hebrew", "Hiragana", "Katakana", "Tamil", "Telugu", "Thai", "Tibetan"),
)
_CATEGORIES = (
    *("C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn"),
    *("N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps"),
    *("S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs"),
)

UNICODE_CLASSES: Mapping[str, CharSet] = MappingProxyType(
    {
        "Any": ALL,
        "Latin": _LETTERS,
        "Common": ALL & ~_LETTERS,
        **dict.fromkeys(_SCRIPTS_BEYOND_ASCII, NONE),
        **{
            name: chars(
                each
                for each in map(chr, range(ASCII_COUNT))
                if unicodedata.category(each).startswith(name)
            )
            for name in _CATEGORIES
        },
    }
)
