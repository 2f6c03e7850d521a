"""The tree that a pattern is read into, and the classes of characters that have names."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from types import MappingProxyType

# A set of ASCII characters: bit n stands for chr(n).
CharSet = int

ASCII_COUNT = 128
NONE: CharSet = 0
ALL: CharSet = (1 << ASCII_COUNT) - 1


class InvalidRegex(ValueError):  # noqa: N818 - it names the pattern
    """A pattern that RE2 refuses; the message is RE2/J's."""


class Assertion(Enum):
    """What can be said of a place between two characters."""

    BEGIN = "^"
    END = "$"
    WORD_BOUNDARY = r"\b"
    NO_WORD_BOUNDARY = r"\B"


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of a set."""

    charset: CharSet


@dataclass(frozen=True, slots=True)
class Place:
    """No character, but a condition."""

    assertion: Assertion


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other; none at all matches nothing."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same several times; ``most`` None: as often as it likes."""

    part: Node
    least: int
    most: int | None


Node = Chars | Place | Sequence | Choice | Repeat


def chars(text: Iterable[str]) -> CharSet:
    """The set of these characters; what is not ASCII is in no topic's name."""
    charset = NONE
    for each in text:
        if ord(each) < ASCII_COUNT:
            charset |= 1 << ord(each)
    return charset


def span(first: int, last: int) -> CharSet:
    """The set of characters from one code point to another."""
    return chars(map(chr, range(first, min(last, ASCII_COUNT - 1) + 1)))


@cache
def folded(charset: CharSet) -> CharSet:
    """The same letters in either case."""
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
# Scripts by their names; of ASCII only letters belong to one.
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
