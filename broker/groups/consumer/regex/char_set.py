"""Sets of characters: the ASCII characters as bits, the others as a predicate.

Topic names are ASCII, so most sets are only asked for bits. Transactional ids may have all
characters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial

from protocol.lazy_dataclass import dataclass

ASCII_COUNT = 128
# The characters with letter case have lower code points.
_CASED_MAX = 0x1E943
_CACHED = 512

# Whether a character that is not ASCII is in a set.
Beyond = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class CharSet:
    """A set of characters; bit n of ``ascii`` is chr(n)."""

    ascii: int
    beyond: Beyond

    def __contains__(self, character: str) -> bool:
        if ord(character) < ASCII_COUNT:
            return bool(self.ascii >> ord(character) & 1)
        return self.beyond(character)


def _none(_: str) -> bool:
    return False


def _all(_: str) -> bool:
    return True


NONE = CharSet(0, _none)
ALL = CharSet((1 << ASCII_COUNT) - 1, _all)


def bits(text: Iterable[str]) -> int:
    """The bits of the ASCII characters of *text*."""
    found = 0
    for each in text:
        if ord(each) < ASCII_COUNT:
            found |= 1 << ord(each)
    return found


def ascii_set(text: Iterable[str]) -> CharSet:
    """The set of the characters of *text*, which are ASCII."""
    return CharSet(bits(text), _none)


@lru_cache(_CACHED)
def one(character: str) -> CharSet:
    """The set of one character."""
    return span(ord(character), ord(character))


def span(first: int, last: int) -> CharSet:
    """The set of the characters from one code point to another."""
    return ranges(((first, last),))


def ranges(pairs: Iterable[tuple[int, int]]) -> CharSet:
    """The set of the characters in ranges, in ascending order, of code points."""
    mask, firsts, lasts = 0, [], []
    for first, last in pairs:
        count = min(last, ASCII_COUNT - 1) + 1 - first
        if count > 0:
            mask |= ((1 << count) - 1) << first
        if last >= ASCII_COUNT:
            firsts.append(first)
            lasts.append(last)
    return CharSet(mask, partial(_is_in_ranges, firsts, lasts) if firsts else _none)


def union(first: CharSet, second: CharSet) -> CharSet:
    """The characters of either set."""
    mask = first.ascii | second.ascii
    if first.beyond is _none or second.beyond is _all:
        return CharSet(mask, second.beyond)
    if second.beyond is _none or first.beyond is _all:
        return CharSet(mask, first.beyond)
    return CharSet(mask, partial(_is_in_either, first.beyond, second.beyond))


def complement(charset: CharSet) -> CharSet:
    """The characters that are not in the set."""
    mask = ALL.ascii & ~charset.ascii
    if charset.beyond is _none:
        return CharSet(mask, _all)
    if charset.beyond is _all:
        return CharSet(mask, _none)
    return CharSet(mask, partial(_is_outside, charset.beyond))


@lru_cache(_CACHED)
def folded(charset: CharSet) -> CharSet:
    """The set with the letters of both cases."""
    letters = [chr(code) for code in range(ASCII_COUNT) if charset.ascii >> code & 1]
    mask = charset.ascii | bits("".join(letters).swapcase())
    if charset.beyond is _all:
        return CharSet(ALL.ascii, _all)
    for character, cases in _SPECIAL_CASES.items():
        if charset.beyond(character):
            mask |= bits(cases)
    return CharSet(mask, partial(_is_folded, CharSet(mask, charset.beyond)))


def _is_in_ranges(firsts: list[int], lasts: list[int], character: str) -> bool:
    code = ord(character)
    index = bisect_right(firsts, code) - 1
    return index >= 0 and code <= lasts[index]


def _is_in_either(first: Beyond, second: Beyond, character: str) -> bool:
    return first(character) or second(character)


def _is_outside(beyond: Beyond, character: str) -> bool:
    return not beyond(character)


def _is_folded(charset: CharSet, character: str) -> bool:
    return any(each in charset for each in _cases(character))


# The characters beyond ASCII that are equal to ASCII letters if case is ignored: the sign of
# kelvin, and the long s.
_SPECIAL_CASES = {"\u212a": "Kk", "\u017f": "Ss"}


@lru_cache(_CACHED)
def _cases(character: str) -> frozenset[str]:
    """The characters that equal *character*, which is not ASCII, if case is ignored."""
    cases = {character, *_SPECIAL_CASES.get(character, "")}
    for each in _simple_cases(character):
        cases |= {each, *_others_by_case().get(each, ())}
    return frozenset(cases)


@cache
def _others_by_case() -> dict[str, list[str]]:
    """The characters beyond ASCII with letter case, by the characters of other cases."""
    others: dict[str, list[str]] = {}
    for character in map(chr, range(ASCII_COUNT, _CASED_MAX + 1)):
        for each in _simple_cases(character):
            if each != character:
                others.setdefault(each, []).append(character)
    return others


def _simple_cases(character: str) -> set[str]:
    """The character in each case, where that is one character beyond ASCII."""
    cases = {character.lower(), character.upper(), character.title(), character.casefold()}
    return {each for each in cases if len(each) == 1 and ord(each) >= ASCII_COUNT} | {character}
