"""Matches names by simulating all states of a pattern at once, in linear time (Thompson 1968).

A place is a state: a part of the pattern that is matched next, and the place after it. Places are
created when a name reaches them, and repetitions are counted in them instead of expanded, so the
cost of `((a{100}){100}){100}` depends on the name. That of a topic has at most 249 characters; a
transactional id may have 32,767, so its match can run in slices. A name is read once with the set
of possible next places. Sets and their successors are cached, which is a deterministic automaton
that is built on demand.
"""

from __future__ import annotations

from collections.abc import Iterable

from broker.groups.consumer.regex.char_set import ASCII_COUNT
from broker.groups.consumer.regex.parser import parse
from broker.groups.consumer.regex.syntax import (
    WORD,
    Assertion,
    Chars,
    Choice,
    Node,
    Place,
    Repeat,
    Sequence,
)
from broker.steps.queue import Slices, finish

# The place after the whole pattern.
_END = 0
_UNBOUNDED = -1
# The caches are reduced to what the rest of a name needs when they have more new places, or their
# sets more members, than these: they take memory, and a pattern with so many rarely reaches one
# again. A set takes as much memory as `_SET_SIZE` members.
PLACES_MAX = 100_000
MEMBERS_MAX = 200_000
_SET_SIZE = 40
# The places that are visited in one piece of work, about 0.1 ms.
_PLACES_PER_PIECE = 100

# What precedes the first character of a line and follows the last one.
_LINE_ENDS = ("", "\n")

_Places = frozenset[int]
# A part, the rest of it, and the place after it. The rest is the index of the next part and 0 for a
# `Sequence`, and the least and the greatest number of further matches for a `Repeat`.
_Way = tuple[Node, int, int, int]


class _Set:
    """The possible next places, and the sets that follow, by character."""

    __slots__ = ("after", "before", "is_end", "places")

    def __init__(self, places: _Places, before: str) -> None:
        self.places = places
        # A character of the same kind as that before these places, if the pattern has assertions.
        self.before = before
        self.after: dict[str, _Set] = {}
        # Whether a name that ends here matches; None if that is not known yet.
        self.is_end: bool | None = None


class Program:
    """A parsed pattern; raises `InvalidRegex`. It matches one name after the other."""

    def __init__(self, pattern: str) -> None:
        self._tree = parse(pattern)
        self._nothing: dict[int, bool] = {}
        self._has_assertions = any(mark in pattern for mark in ("^", "$", "\\"))
        self._places_created = _END
        self._ways: dict[int, _Way] = {}
        self._numbers: dict[tuple[int, int, int, int], int] = {}
        self._ways_max = PLACES_MAX
        self._forget_sets(frozenset({self._place(self._tree, _END)}))

    def matches(self, name: str) -> bool:
        """Whether the pattern matches the whole *name*, at once."""
        known = self._known(name)
        return finish(self.match(name)) if known is None else known

    def _known(self, name: str) -> bool | None:
        """The result that the cached sets give; None if one is missing."""
        current = self._start
        for character in name:
            following = current.after.get(character)
            if following is None:
                return None
            if not following.places:
                return False
            current = following
        return current.is_end

    def match(self, name: str) -> Slices[bool]:
        """Whether the pattern matches the whole *name*, in slices."""
        current = self._start
        for character in name:
            following = current.after.get(character)
            if following is None:
                if self._are_caches_full:
                    current = yield from self._reduced(current)
                following = yield from self._step(current, character)
                current.after[character] = following
            if not following.places:
                return False
            current = following
        if current.is_end is None:
            current.is_end = _END in (yield from self._reachable(current, ""))
        return current.is_end

    def _set(self, places: _Places, before: str) -> _Set:
        key = places, before
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = _Set(places, before)
            self._members += len(places) + _SET_SIZE
        return found

    def _step(self, current: _Set, character: str) -> Slices[_Set]:
        """The set after *character*."""
        taken = set()
        bit = 1 << ord(character) if ord(character) < ASCII_COUNT else 0
        if not bit:
            # The number of its characters does not limit the number of sets that follow a set.
            self._members += 1
        reachable = yield from self._reachable(current, character)
        for count, place in enumerate(reachable, 1):
            if not count % _PLACES_PER_PIECE:
                yield None
            way = self._ways.get(place)
            if way is not None and isinstance(way[0], Chars):
                charset = way[0].charset
                if charset.ascii & bit if bit else charset.beyond(character):
                    taken.add(way[3])
        return self._set(frozenset(taken), _kind(character) if self._has_assertions else "")

    def _reachable(self, current: _Set, after: str) -> Slices[set[int]]:
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
            if not len(found) % _PLACES_PER_PIECE:
                yield None
            if place != _END:
                waiting += self._next(self._ways[place], current.before, after, most_of)
        return found

    def _next(
        self, way: _Way, before: str, after: str, most_of: dict[tuple[int, int], int]
    ) -> Iterable[int]:
        """The places that follow a place if no character is read."""
        part, _, _, following = way
        match part:
            case Place(assertion):
                return (following,) if _holds(assertion, before, after) else ()
            case Choice(options):
                return [self._place(option, following) for option in options]
            case Sequence():
                return (self._in_sequence(part, way),)
            case Repeat():
                return self._in_repeat(part, way, most_of)
        return ()

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
        key = _key(way)
        number = self._numbers.get(key)
        if number is None:
            self._places_created += 1
            number = self._numbers[key] = self._places_created
            self._ways[number] = way
        return number

    # -------------------------------------------------------------------------------- caches

    @property
    def _are_caches_full(self) -> bool:
        return len(self._ways) > self._ways_max or self._members > MEMBERS_MAX

    def _reduced(self, current: _Set) -> Slices[_Set]:
        """Drop all that neither *current* nor the start needs; returns *current* as a new set."""
        kept: dict[int, _Way] = {}
        waiting = [*current.places, *self._start.places]
        while waiting:
            place = waiting.pop()
            if place != _END and place not in kept:
                way = kept[place] = self._ways[place]
                waiting.append(way[3])
                if not len(kept) % _PLACES_PER_PIECE:
                    yield None
        self._ways = kept
        self._numbers = {_key(way): place for place, way in kept.items()}
        self._ways_max = len(kept) + PLACES_MAX
        self._forget_sets(self._start.places)
        return self._set(current.places, current.before)

    def _forget_sets(self, start: _Places) -> None:
        self._members = 0
        self._sets: dict[tuple[_Places, str], _Set] = {}
        self._start = self._set(start, "")


def _key(way: _Way) -> tuple[int, int, int, int]:
    return id(way[0]), *way[1:]


def _holds(assertion: Assertion, before: str, after: str) -> bool:
    match assertion:
        case Assertion.BEGIN:
            return not before
        case Assertion.END:
            return not after
        case Assertion.LINE_BEGIN:
            return before in _LINE_ENDS
        case Assertion.LINE_END:
            return after in _LINE_ENDS
    is_boundary = _is_word(before) != _is_word(after)
    return is_boundary == (assertion is Assertion.WORD_BOUNDARY)


def _kind(character: str) -> str:
    """A character that is the same for assertions."""
    if character == "\n":
        return character
    return "a" if _is_word(character) else "-"


def _is_word(character: str) -> bool:
    return bool(character) and character in WORD
