"""The syntax tree of a pattern, and the named character classes."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Mapping
from enum import Enum
from functools import cache, partial
from types import MappingProxyType

from broker.groups.consumer.regex.char_set import (
    ALL,
    ASCII_COUNT,
    NONE,
    CharSet,
    ascii_set,
    bits,
    one,
    ranges,
    span,
    union,
)
from broker.groups.consumer.regex.scripts import SCRIPTS
from protocol.lazy_dataclass import dataclass


class InvalidRegex(ValueError):  # noqa: N818 - it names the pattern
    """A pattern is invalid; the message is RE2/J's."""


class Assertion(Enum):
    """A condition on the position between two characters."""

    BEGIN = "^"
    END = "$"
    LINE_BEGIN = "(?m)^"
    LINE_END = "(?m)$"
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


WORD = ascii_set(string.ascii_letters + string.digits + "_")
_DIGITS = ascii_set(string.digits)
_SPACE = ascii_set("\t\n\f\r ")

# The classes with a lower-case letter; those with an upper-case one are their complements.
PERL_CLASSES: Mapping[str, CharSet] = MappingProxyType({"d": _DIGITS, "s": _SPACE, "w": WORD})

POSIX_CLASSES: Mapping[str, CharSet] = MappingProxyType(
    {
        "alnum": ascii_set(string.ascii_letters + string.digits),
        "alpha": ascii_set(string.ascii_letters),
        "ascii": CharSet(ALL.ascii, NONE.beyond),
        "blank": ascii_set("\t "),
        "cntrl": union(span(0, 0x1F), one("\x7f")),
        "digit": _DIGITS,
        "graph": span(0x21, 0x7E),
        "lower": ascii_set(string.ascii_lowercase),
        "print": span(0x20, 0x7E),
        "punct": ascii_set(string.punctuation),
        "space": ascii_set(string.whitespace),
        "upper": ascii_set(string.ascii_uppercase),
        "word": WORD,
        "xdigit": ascii_set(string.hexdigits),
    }
)

_CATEGORIES = (
    *("C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn"),
    *("N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps"),
    *("S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs"),
)
_UNASSIGNED = "Cn"


@cache
def unicode_class(name: str) -> CharSet | None:
    """The characters of a category or a script; None if there is none with this name.

    Categories are those of Python's version of Unicode, which is newer than RE2/J's.
    """
    if name == "Any":
        return ALL
    if name in _CATEGORIES:
        in_category = partial(_is_in_category, name)
        characters = map(chr, range(ASCII_COUNT))
        return CharSet(bits(filter(in_category, characters)), in_category)
    script = SCRIPTS.get(name)
    return None if script is None else ranges(map(_pair, script.split()))


def _is_in_category(name: str, character: str) -> bool:
    category = unicodedata.category(character)
    return category.startswith(name) and category != _UNASSIGNED


def _pair(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    return int(first, 16), int(last or first, 16)
