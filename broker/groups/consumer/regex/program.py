"""Matches names against a pattern: all its ways at once, so no pattern takes long (Thompson 1968).

A pattern becomes a list of instructions; a name is gone through once, with the set of instructions
that could come next. Sets that have been seen are remembered with what each character made of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from broker.groups.consumer.regex.parser import parse
from broker.groups.consumer.regex.syntax import (
    ASCII_COUNT,
    WORD,
    Assertion,
    Chars,
    CharSet,
    Choice,
    InvalidRegex,
    Node,
    Place,
    Repeat,
    Sequence,
)

# Repetitions are written out; what gets longer than this would take too much memory and time.
REPEATED_INSTRUCTIONS_MAX = 5000


class _Take(NamedTuple):
    """Go on behind one of these characters."""

    charset: CharSet


class _Split(NamedTuple):
    """Go on in any of these places."""

    targets: tuple[int, ...]


class _Check(NamedTuple):
    """Go on if this holds here."""

    assertion: Assertion


_Instruction = _Take | _Split | _Check
_States = frozenset[int]


class Program:
    """A pattern, ready to match; raises `InvalidRegex` if it is none."""

    def __init__(self, pattern: str) -> None:
        self._code: list[_Instruction] = []
        self._emit(parse(pattern))
        self._end = len(self._code)
        self._seen: dict[tuple[_States, str, str], _States] = {}

    def matches(self, name: str) -> bool:
        """Whether all of *name* fits."""
        states: _States = frozenset({0})
        before = ""
        for character in name:
            step = (states, before, character)
            after = self._seen.get(step)
            if after is None:
                after = self._seen[step] = self._step(*step)
            if not after:
                return False
            states, before = after, character
        return self._end in self._reachable(states, before, "")

    def _step(self, states: _States, before: str, character: str) -> _States:
        """What could come behind *character*."""
        if ord(character) >= ASCII_COUNT:
            return frozenset()
        bit = 1 << ord(character)
        taken = set()
        for at in self._reachable(states, before, character):
            instruction = self._code[at] if at < self._end else None
            if isinstance(instruction, _Take) and instruction.charset & bit:
                taken.add(at + 1)
        return frozenset(taken)

    def _reachable(self, states: Iterable[int], before: str, after: str) -> set[int]:
        """All places that can be got to between two characters without taking one."""
        found: set[int] = set()
        waiting = list(states)
        while waiting:
            at = waiting.pop()
            if at in found:
                continue
            found.add(at)
            if at == self._end:
                continue
            match self._code[at]:
                case _Split(targets):
                    waiting += targets
                case _Check(assertion) if _holds(assertion, before, after):
                    waiting.append(at + 1)
        return found

    # ---------------------------------------------------------------------------- compiling

    def _emit(self, node: Node) -> None:
        match node:
            case Chars(charset):
                self._code.append(_Take(charset))
            case Place(assertion):
                self._code.append(_Check(assertion))
            case Sequence(parts):
                for part in parts:
                    self._emit(part)
            case Choice(options):
                self._emit_choice(options)
            case Repeat(part, least, most):
                start = len(self._code)
                for _ in range(least):
                    self._emit_again(part, start)
                if most is None:
                    self._emit_loop(part)
                else:
                    self._emit_optional(part, most - least)

    def _emit_choice(self, options: tuple[Node, ...]) -> None:
        fork = self._reserve()
        starts, jumps = [], []
        for option in options:
            starts.append(len(self._code))
            self._emit(option)
            jumps.append(self._reserve())
        self._code[fork] = _Split(tuple(starts))
        for jump in jumps:
            self._code[jump] = _Split((len(self._code),))

    def _emit_again(self, part: Node, start: int) -> None:
        """One more time what has been written out since *start*."""
        if len(self._code) - start > REPEATED_INSTRUCTIONS_MAX:
            raise InvalidRegex("invalid repeat count")
        self._emit(part)

    def _emit_loop(self, part: Node) -> None:
        fork = self._reserve()
        self._emit(part)
        self._code.append(_Split((fork,)))
        self._code[fork] = _Split((fork + 1, len(self._code)))

    def _emit_optional(self, part: Node, times: int) -> None:
        forks = []
        start = len(self._code)
        for _ in range(times):
            forks.append(self._reserve())
            self._emit_again(part, start)
        for fork in forks:
            self._code[fork] = _Split((fork + 1, len(self._code)))

    def _reserve(self) -> int:
        """A place for an instruction that is not known yet."""
        self._code.append(_Split(()))
        return len(self._code) - 1


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
