"""Parses a pattern in RE2's syntax; errors have the messages of RE2/J.

One limit is stricter than RE2/J's: groups may be nested `DEPTH_MAX` deep.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from broker.groups.consumer.regex.char_set import ALL, complement, folded, one
from broker.groups.consumer.regex.escapes import escaped_charset, read_class, read_escape
from broker.groups.consumer.regex.reader import Reader
from broker.groups.consumer.regex.syntax import (
    Assertion,
    Chars,
    Choice,
    InvalidRegex,
    Node,
    Place,
    Repeat,
    Sequence,
)
from protocol.lazy_pattern import LazyPattern

DEPTH_MAX = 100
_REPEATS_MAX = 1000

# A number with a zero before it is no repetition.
_COUNTED = LazyPattern(r"\{(0|[1-9]\d*)(,((?:0|[1-9]\d*)?))?\}", re.ASCII)
_NAMED_GROUP = LazyPattern(r"\?P?<(\w+)>", re.ASCII)
_FLAGS = LazyPattern(r"\?([imsU]*)(-[imsU]+)?([:)])")
_UNBOUNDED = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_NOT_NEWLINE = complement(one("\n"))
_PLACES = {
    "A": Assertion.BEGIN,
    "z": Assertion.END,
    "b": Assertion.WORD_BOUNDARY,
    "B": Assertion.NO_WORD_BOUNDARY,
}


class _Flags(NamedTuple):
    """The flags that affect what matches; one that is set in a group applies to its end."""

    folds: bool = False
    dot_matches_newline: bool = False
    is_multiline: bool = False

    def changed(self, letters: str, value: bool) -> _Flags:
        """The flags after those of *letters* are set to a value."""
        return _Flags(
            value if "i" in letters else self.folds,
            value if "s" in letters else self.dot_matches_newline,
            value if "m" in letters else self.is_multiline,
        )


def parse(pattern: str) -> Node:
    """Return the tree of *pattern*; raises `InvalidRegex`."""
    parser = _Parser(Reader(pattern))
    tree = parser.choice(0, _Flags())
    if not parser.reader.at_end:
        # An unmatched closing parenthesis, for which RE2/J has this message.
        raise InvalidRegex("regexp/syntax: internal error")
    return tree


class _Parser:
    """A recursive descent parser."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._names: set[str] = set()
        self._flags = _Flags()

    def choice(self, depth: int, flags: _Flags) -> Node:
        """Alternatives, up to the end or a closing parenthesis."""
        if depth > DEPTH_MAX:
            raise InvalidRegex("expression nests too deeply")
        self._flags = flags
        options = [self._sequence(depth)]
        while self.reader.take("|"):
            options.append(self._sequence(depth))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while not self.reader.at_end and self.reader.peek not in "|)":
            if self.reader.take(r"\Q"):
                parts += [self._literal(each) for each in self.reader.until(r"\E")]
                if parts and not self.reader.at_end:
                    parts[-1] = self._repeated(parts[-1])
                continue
            is_brace = self.reader.peek == "{"
            part = self._atom(depth)
            if is_brace and self._repetition() is not None:
                # RE2/J parses it as a repetition here, although it has parsed it as text before.
                raise InvalidRegex("invalid nested repetition operator")
            if part is not None:
                parts.append(self._repeated(part))
            elif parts:
                parts[-1] = self._repeated(parts[-1])
        return Sequence(tuple(parts))

    def _atom(self, depth: int) -> Node | None:
        """The next part that can be repeated; None for flags, which a repetition ignores."""
        reader = self.reader
        if reader.peek in "*+?" or (reader.peek == "{" and reader.matches(_COUNTED)):
            raise InvalidRegex("missing argument to repetition operator")
        character = reader.next()
        match character:
            case "(":
                return self._group(depth)
            case "[":
                return Chars(read_class(reader, folds=self._flags.folds))
            case ".":
                return Chars(ALL if self._flags.dot_matches_newline else _NOT_NEWLINE)
            case "^" if self._flags.is_multiline:
                return Place(Assertion.LINE_BEGIN)
            case "^":
                return Place(Assertion.BEGIN)
            case "$" if self._flags.is_multiline:
                return Place(Assertion.LINE_END)
            case "$":
                return Place(Assertion.END)
            case "\\":
                return self._escaped()
        return self._literal(character)

    def _escaped(self) -> Node:
        if not self.reader.at_end and (place := _PLACES.get(self.reader.peek)) is not None:
            self.reader.next()
            return Place(place)
        charset = escaped_charset(self.reader, folds=self._flags.folds)
        if charset is not None:
            return Chars(charset)
        return self._literal(read_escape(self.reader))

    def _literal(self, character: str) -> Node:
        charset = one(character)
        return Chars(folded(charset) if self._flags.folds else charset)

    # ------------------------------------------------------------------------------- groups

    def _group(self, depth: int) -> Node | None:
        outer = self._flags
        if self.reader.at_end or self.reader.peek != "?":
            return self._closed(depth, outer, outer)
        named = self.reader.matches(_NAMED_GROUP)
        if named is not None:
            self.reader.skip(named.end() - named.start())
            if named[1] in self._names:
                raise InvalidRegex("duplicate capture group name")
            self._names.add(named[1])
            return self._closed(depth, outer, outer)
        if self.reader.starts_with("?P<") or self.reader.starts_with("?<"):
            raise InvalidRegex("invalid named capture")
        flags = self.reader.matches(_FLAGS)
        if flags is None:
            raise InvalidRegex("invalid or unsupported Perl syntax")
        self.reader.skip(flags.end() - flags.start())
        inner = outer.changed(flags[1], True).changed(flags[2] or "", False)
        if flags[3] == ")":
            self._flags = inner
            return None
        return self._closed(depth, inner, outer)

    def _closed(self, depth: int, inner: _Flags, outer: _Flags) -> Node:
        tree = self.choice(depth + 1, inner)
        if not self.reader.take(")"):
            raise InvalidRegex("missing closing )")
        self._flags = outer
        return tree

    # ------------------------------------------------------------------------------ repeats

    def _repeated(self, part: Node) -> Node:
        """*part* with the repetition after it, if there is one."""
        bounds = self._repetition()
        if bounds is None:
            return part
        if self._repetition() is not None:
            raise InvalidRegex("invalid nested repetition operator")
        return Repeat(part, *bounds)

    def _repetition(self) -> tuple[int, int | None] | None:
        reader = self.reader
        if reader.at_end:
            return None
        if reader.peek in _UNBOUNDED:
            bounds = _UNBOUNDED[reader.next()]
        elif (counted := reader.matches(_COUNTED)) is not None:
            reader.skip(counted.end() - counted.start())
            bounds = _bounds(counted)
        else:
            return None
        reader.take("?")  # it does not affect whether a whole name matches
        return bounds


def _bounds(counted: re.Match[str]) -> tuple[int, int | None]:
    least = int(counted[1][:9])
    most = least if counted[2] is None else int(counted[3][:9]) if counted[3] else None
    if least > _REPEATS_MAX or (most is not None and not least <= most <= _REPEATS_MAX):
        raise InvalidRegex("invalid repeat count")
    return least, most
