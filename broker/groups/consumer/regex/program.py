"""Matches names by simulating all states of a pattern at once, in linear time (Thompson 1968).

A place is a state: a part of the pattern that is matched next, and the place after it. Places are
created when a name reaches them, and repetitions are counted in them instead of expanded, so the
cost of `((a{100}){100}){100}` depends on the name, which has at most 249 characters. A name is read
once with the set of possible next places. Sets and their successors are cached, which is a
deterministic automaton that is built on demand.
"""

from __future__ import annotations

from collections.abc import Iterable

from broker.groups.consumer.regex.parser import parse
from broker.groups.consumer.regex.syntax import (
    ASCII_COUNT,
    WORD,
    Assertion,
    Chars,
    Choice,
    Node,
    Place,
    Repeat,
    Sequence,
)

# The place after the whole pattern.
_END = 0
_UNBOUNDED = -1
# The caches are cleared before the next name when they are larger: they take memory, and a pattern
# with so many places and sets rarely reaches one again.
PLACES_MAX = 100_000
SETS_MAX = 5000

_Places = frozenset[int]
# A part, the rest of it, and the place after it. The rest is the index of the next part and 0 for a
# `Sequence`, and the least and the greatest number of further matches for a `Repeat`.
_Way = tuple[Node, int, int, int]


class _Set:
    """The possible next places, and the sets that follow, by character."""

    __slots__ = ("after", "before", "places")

    def __init__(self, places: _Places, before: str) -> None:
        self.places = places
        # The character before these places, if the pattern has assertions.
        self.before = before
        self.after: dict[str, _Set] = {}


class Program:
    """A parsed pattern; raises `InvalidRegex`."""

    def __init__(self, pattern: str) -> None:
        self._tree = parse(pattern)
        self._nothing: dict[int, bool] = {}
        self._has_assertions = any(mark in pattern for mark in ("^", "$", "\\"))
        self._clear()

    def _clear(self) -> None:
        self._ways: list[_Way | None] = [None]
        self._numbers: dict[tuple[int, int, int, int], int] = {}
        self._sets: dict[tuple[_Places, str], _Set] = {}
        self._start = self._set(frozenset({self._place(self._tree, _END)}), "")

    def matches(self, name: str) -> bool:
        """Whether the pattern matches the whole *name*."""
        if len(self._ways) > PLACES_MAX or len(self._sets) > SETS_MAX:
            self._clear()
        current = self._start
        for character in name:
            following = current.after.get(character)
            if following is None:
                following = current.after[character] = self._step(current, character)
            if not following.places:
                return False
            current = following
        return _END in self._reachable(current, "")

    def _set(self, places: _Places, before: str) -> _Set:
        key = places, before
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = _Set(places, before)
        return found

    def _step(self, current: _Set, character: str) -> _Set:
        """The set after *character*."""
        taken = set()
        if ord(character) < ASCII_COUNT:
            bit = 1 << ord(character)
            for place in self._reachable(current, character):
                way = self._ways[place]
                if way is not None and isinstance(way[0], Chars) and way[0].charset & bit:
                    taken.add(way[3])
        return self._set(frozenset(taken), character if self._has_assertions else "")

    def _reachable(self, current: _Set, after: str) -> set[int]:
        """All places that can be reached without reading a character."""
        found: set[int] = set()
        # The greatest number of further matches of each repetition that may end here. Every text
        # that matches with a smaller number matches with a greater one, too.
        most_of: dict[tuple[int, int], int] = {}
        waiting = list(current.places)
        while waiting:
            place = waiting.pop()
            if place in found:
                continue
            found.add(place)
            way = self._ways[place]
            if way is None:
                continue
            part, _, _, following = way
            match part:
                case Chars():
                    pass
                case Place(assertion):
                    if _holds(assertion, current.before, after):
                        waiting.append(following)
                case Choice(options):
                    waiting += [self._place(option, following) for option in options]
                case Sequence():
                    waiting.append(self._in_sequence(part, way))
                case Repeat():
                    waiting += self._in_repeat(part, way, most_of)
        return found

    def _in_sequence(self, part: Sequence, way: _Way) -> int:
        """The place of the next part of a sequence, followed by the rest of it."""
        _, index, _, following = way
        if index == len(part.parts):
            return following
        rest = following
        if index + 1 < len(part.parts):
            rest = self._number((part, index + 1, 0, following))
        return self._place(part.parts[index], rest)

    def _in_repeat(
        self, repeat: Repeat, way: _Way, most_of: dict[tuple[int, int], int]
    ) -> Iterable[int]:
        """The place of another match, and the place after the repetition if it may end here."""
        _, least, most, following = way
        if least == 0:
            yield following
            known = most_of.get((id(repeat), following), 0)
            if most == 0 or known == _UNBOUNDED or _UNBOUNDED != most <= known:
                return
            most_of[id(repeat), following] = most
        rest = repeat, max(least - 1, 0), most if most == _UNBOUNDED else most - 1, following
        yield self._place(repeat.part, self._number(rest))

    # -------------------------------------------------------------------------------- places

    def _place(self, part: Node, following: int) -> int:
        """The place at the beginning of *part*, which is followed by *following*."""
        while isinstance(part, Sequence) and len(part.parts) == 1:
            (part,) = part.parts
        if isinstance(part, Repeat):
            most = _UNBOUNDED if part.most is None else part.most
            # A part that can match the empty text satisfies any least number of matches.
            least = 0 if self._matches_empty_text(part.part) else part.least
            return self._number((part, least, most, following))
        return self._number((part, 0, 0, following))

    def _matches_empty_text(self, part: Node) -> bool:
        """Whether *part* matches the empty text, regardless of assertions."""
        known = self._nothing.get(id(part))
        if known is None:
            match part:
                case Repeat(inner, least, _):
                    known = least == 0 or self._matches_empty_text(inner)
                case Sequence(parts):
                    known = all(map(self._matches_empty_text, parts))
                case Choice(options):
                    known = any(map(self._matches_empty_text, options))
                case _:
                    known = False
            self._nothing[id(part)] = known
        return known

    def _number(self, way: _Way) -> int:
        key = id(way[0]), *way[1:]
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._ways)
            self._ways.append(way)
        return number


def _holds(assertion: Assertion, before: str, after: str) -> bool:
    match assertion:
        case Assertion.BEGIN:
            return not before
        case Assertion.END:
            return not after
    is_boundary = _is_word(before) != _is_word(after)
    return is_boundary == (assertion is Assertion.WORD_BOUNDARY)


def _is_word(character: str) -> bool:
    return bool(character) and bool(WORD >> ord(character) & 1)
