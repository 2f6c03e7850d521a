"""Compares random programs on both systems.

Many programs run at once, because they mostly wait for changes of topics. One with a difference is
repeated alone, and shrunk to the steps that are needed.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import Generic, TypeVar

from integration.parity.client import Closed, Receiver
from integration.parity.formatting import Formatter
from integration.parity.runner import Pair
from integration.parity.scenario import Kafka
from integration.parity.systems import System

AT_ONCE = 12
# A line for a request without a response. Kafka's handlers fail for some invalid requests and send
# none; our response is not a difference then, and what follows is not compared.
UNANSWERED = "no response"

S = TypeVar("S")


@dataclass(frozen=True)
class Program(Generic[S]):
    """The steps of the program with a seed."""

    seed: int
    steps: tuple[S, ...]

    def without(self, index: int) -> Program[S]:
        """The program without one step."""
        return replace(self, steps=self.steps[:index] + self.steps[index + 1 :])


# Plays the steps of a program on one system, and yields lines about each.
Player = Callable[[Kafka, Sequence[S]], Iterator[str]]
# Plays a program on both systems, and returns the lines of ours and of Kafka.
Play = Callable[[Program[S]], tuple[list[str], list[str]]]


@dataclass(frozen=True)
class Difference(Generic[S]):
    """A program with different results."""

    program: Program[S]
    ours: Sequence[str]
    theirs: Sequence[str]

    def __str__(self) -> str:
        lines = unified_diff(self.theirs, self.ours, "Kafka", "antechamber", n=99, lineterm="")
        return "\n".join([f"seed {self.program.seed}", *lines])


def on_both(pair: Pair, receiver: Receiver, player: Player[S]) -> Play[S]:
    """The function that plays a program on both systems."""

    def play(program: Program[S]) -> tuple[list[str], list[str]]:
        name = f"program-{uuid.uuid4().hex[:8]}"
        return (
            _play(pair.ours, receiver, player, program, name),
            _play(pair.theirs, receiver, player, program, name),
        )

    return play


def differences(play: Play[S], programs: Iterable[Program[S]]) -> list[Difference[S]]:
    """Play the programs, many at once; those that differ again are shrunk."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda program: _difference(play, program), programs))
    again = [_difference(play, each.program) for each in found if each is not None]
    return [_shrunk(play, each) for each in again if each is not None]


def _shrunk(play: Play[S], found: Difference[S]) -> Difference[S]:
    for index in reversed(range(len(found.program.steps))):
        found = _difference(play, found.program.without(index)) or found
    return found


def _difference(play: Play[S], program: Program[S]) -> Difference[S] | None:
    ours, theirs = play(program)
    compared = theirs.index(UNANSWERED) if UNANSWERED in theirs else None
    return None if ours[:compared] == theirs[:compared] else Difference(program, ours, theirs)


def _play(
    system: System, receiver: Receiver, player: Player[S], program: Program[S], name: str
) -> list[str]:
    """The lines of all steps; an error is the last one."""
    lines: list[str] = []
    with closing(Kafka(system, receiver, name, Formatter())) as kafka:
        try:
            lines.extend(player(kafka, program.steps))
        except (AssertionError, Closed, TimeoutError) as error:
            lines.append(f"{system.name} failed: {error!r}")
    return lines
