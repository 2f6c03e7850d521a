"""Compares random programs about streams groups on both systems.

Many programs run at once, because they mostly wait for changes of topics. One with a difference is
repeated alone, and shrunk to the steps that are needed.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from difflib import unified_diff

from integration.parity.client import Closed, Receiver
from integration.parity.formatting import Formatter
from integration.parity.runner import Pair
from integration.parity.scenario import Kafka
from integration.parity.streams_programs import StreamsGame, StreamsProgram, streams_program
from integration.parity.systems import System

AT_ONCE = 12

Play = Callable[[StreamsProgram], "tuple[list[str], list[str]]"]


@dataclass(frozen=True)
class StreamsDifference:
    """A program with different results."""

    program: StreamsProgram
    ours: Sequence[str]
    theirs: Sequence[str]

    def __str__(self) -> str:
        lines = unified_diff(self.theirs, self.ours, "Kafka", "antechamber", n=99, lineterm="")
        return "\n".join([f"seed {self.program.seed}", *lines])


def on_both(pair: Pair, receiver: Receiver) -> Play:
    """The function that plays a program on both systems."""

    def play(program: StreamsProgram) -> tuple[list[str], list[str]]:
        return _play(pair.ours, receiver, program), _play(pair.theirs, receiver, program)

    return play


def streams_differences(play: Play, seeds: Iterable[int]) -> list[StreamsDifference]:
    """Play the programs with these seeds, many at once; those that differ again are shrunk."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda seed: _difference(play, streams_program(seed)), seeds))
    again = [_difference(play, each.program) for each in found if each is not None]
    return [_shrunk(play, each) for each in again if each is not None]


def _shrunk(play: Play, found: StreamsDifference) -> StreamsDifference:
    for index in reversed(range(len(found.program.steps))):
        found = _difference(play, found.program.without(index)) or found
    return found


def _difference(play: Play, program: StreamsProgram) -> StreamsDifference | None:
    ours, theirs = play(program)
    return None if ours == theirs else StreamsDifference(program, ours, theirs)


def _play(system: System, receiver: Receiver, program: StreamsProgram) -> list[str]:
    """The results of all steps."""
    lines: list[str] = []
    name = f"program-{uuid.uuid4().hex[:8]}"
    with closing(Kafka(system, receiver, name, Formatter())) as kafka:
        try:
            game = StreamsGame(kafka)
            lines.extend(f"{step}: {game.play(step)}" for step in program.steps)
        except (AssertionError, Closed, TimeoutError) as error:
            lines.append(f"{system.name} failed: {error!r}")
    return lines
