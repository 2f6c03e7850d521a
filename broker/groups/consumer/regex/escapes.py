"""Parses escapes and bracketed character classes."""

from __future__ import annotations

from broker.groups.consumer.regex.char_set import (
    NONE,
    CharSet,
    complement,
    folded,
    one,
    span,
    union,
)
from broker.groups.consumer.regex.reader import Reader
from broker.groups.consumer.regex.syntax import (
    PERL_CLASSES,
    POSIX_CLASSES,
    InvalidRegex,
    unicode_class,
)
from protocol.lazy_pattern import LazyPattern

_CODE_POINT_MAX = 0x10FFFF
_CONTROL = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_OCTAL = LazyPattern(r"0[0-7]{0,2}|[1-7][0-7]{1,2}")
_HEX = LazyPattern(r"x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,8})\})")
_UNICODE = LazyPattern(r"[pP](?:(\w)|\{(\^?)([^}]*)\})")
# As in RE2/J, the first ":]" ends the name, also in "[:]".
_POSIX = LazyPattern(r"(?s)\[(?=:)(.*?):\]")


def read_escape(reader: Reader) -> str:
    """Return the character of an escape, whose backslash has been read."""
    if reader.at_end:
        raise InvalidRegex("trailing backslash at end of expression")
    for pattern, base in ((_OCTAL, 8), (_HEX, 16)):
        number = reader.matches(pattern)
        if number is not None:
            reader.skip(number.end() - number.start())
            digits = number[0] if base == 8 else number[1] or number[2]
            if int(digits, base) > _CODE_POINT_MAX:
                break
            return chr(int(digits, base))
    else:
        character = reader.next()
        if character in _CONTROL:
            return _CONTROL[character]
        if not (character.isascii() and character.isalnum()):
            return character
    raise InvalidRegex("invalid escape sequence")


def escaped_charset(reader: Reader, *, folds: bool = False) -> CharSet | None:
    """Return the class of an escape, whose backslash has been read; None if it is not a class.

    ``folds``: case is ignored, also in a negated class.
    """
    if not reader.at_end and reader.peek.lower() in PERL_CLASSES:
        letter = reader.next()
        return _class(PERL_CLASSES[letter.lower()], folds, is_negated=letter.isupper())
    unicode = reader.matches(_UNICODE)
    if unicode is None:
        return None
    reader.skip(unicode.end() - unicode.start())
    charset = unicode_class(unicode[1] or unicode[3])
    if charset is None:
        raise InvalidRegex("invalid character class range")
    return _class(charset, folds, is_negated=(unicode[0][0] == "P") != bool(unicode[2]))


def read_class(reader: Reader, *, folds: bool = False) -> CharSet:
    """Return a bracketed class, whose opening bracket has been read; ``folds`` as above."""
    is_negated = reader.take("^")
    charset, is_first = NONE, True
    while is_first or reader.at_end or reader.peek != "]":
        if reader.at_end:
            raise InvalidRegex("missing closing ]")
        charset = union(charset, _read_item(reader, folds))
        is_first = False
    reader.next()
    return complement(charset) if is_negated else charset


def _read_item(reader: Reader, folds: bool) -> CharSet:
    posix = reader.matches(_POSIX)
    if posix is not None:
        reader.skip(posix.end() - posix.start())
        name = posix[1].removeprefix(":")
        charset = POSIX_CLASSES.get(name.removeprefix("^"))
        if charset is None:
            raise InvalidRegex("invalid character class range")
        return _class(charset, folds, is_negated=name.startswith("^"))
    first = _read_class_character(reader, folds)
    if isinstance(first, CharSet):
        return first
    charset = _read_span(reader, first)
    return folded(charset) if folds else charset


def _read_span(reader: Reader, first: str) -> CharSet:
    """The range from *first*, which has been read, to the character after a dash, if any."""
    if not reader.starts_with("-") or reader.starts_with("-]"):
        return one(first)
    reader.next()
    if reader.at_end:
        raise InvalidRegex("missing closing ]")
    last = read_escape(reader) if reader.take("\\") else reader.next()
    if last < first:
        raise InvalidRegex("invalid character class range")
    return span(ord(first), ord(last))


def _read_class_character(reader: Reader, folds: bool) -> str | CharSet:
    if not reader.take("\\"):
        return reader.next()
    charset = escaped_charset(reader, folds=folds)
    return read_escape(reader) if charset is None else charset


def _class(charset: CharSet, folds: bool, *, is_negated: bool) -> CharSet:
    charset = folded(charset) if folds else charset
    return complement(charset) if is_negated else charset
