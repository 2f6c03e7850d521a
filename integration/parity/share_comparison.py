"""``make share-programs``: compares random programs about share groups on both systems.

make share-programs ARGS="--programs 500"        others in each run; prints the seed of the run

make share-programs ARGS="--first 4711"          one program, by its seed

Programs run at once, because they mostly wait for locks. One with a difference is repeated alone,
and shrunk to the steps that are needed.
"""

from __future__ import annotations

import argparse
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from random import randrange

from integration.kafka.source import missing_kafka
from integration.parity.client import Closed, Receiver
from integration.parity.formatting import Formatter
from integration.parity.runner import Pair, clusters
from integration.parity.scenario import Kafka
from integration.parity.setups import SHARE
from integration.parity.share_game import LockTooOld, ShareGame
from integration.parity.share_programs import ShareProgram, share_program
from integration.parity.share_steps import Expire
from integration.parity.systems import System

AT_ONCE = 16
REPEATS_MAX = 3
SHRINKING_MAX = 60  # programs that are played to shrink one

Play = Callable[[ShareProgram], "tuple[list[str], list[str]]"]


@dataclass(frozen=True)
class Difference:
    """A program with different results."""

    program: ShareProgram
    ours: Sequence[str]
    theirs: Sequence[str]

    def __str__(self) -> str:
        lines = unified_diff(self.theirs, self.ours, "Kafka", "antechamber", n=99, lineterm="")
        return "\n".join([f"seed {self.program.seed}: {self.program.conditions}", *lines])


@contextmanager
def both_systems() -> Iterator[Play]:
    """Start our broker and Kafka; the function plays a program on both."""
    with closing(Receiver()) as receiver, clusters([SHARE]) as pairs:
        pair: Pair = pairs[SHARE.name]

        def play(program: ShareProgram) -> tuple[list[str], list[str]]:
            return _play(pair.ours, receiver, program), _play(pair.theirs, receiver, program)

        yield play


def differences(play: Play, seeds: Iterable[int]) -> list[Difference]:
    """Play the programs with these seeds, many at once, then those that differ alone."""
    programs = [share_program(seed) for seed in seeds]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(lambda each: _difference(play, each), programs))
    suspects = [program for program, each in zip(programs, outcomes, strict=True) if each]
    return [found for program in suspects if (found := _repeated(play, program)) is not None]


def shrunk(play: Play, found: Difference) -> Difference:
    """The difference with the steps that are needed."""
    index, played = len(found.program.steps) - 1, 0
    while index >= 0 and played < SHRINKING_MAX:
        smaller = _difference(play, found.program.without(index))
        played += 1
        found = smaller or found
        index -= 1
    return found


def _repeated(play: Play, program: ShareProgram) -> Difference | None:
    """The difference if it occurs each time: not if the machine was too slow."""
    found = None
    for _ in range(REPEATS_MAX):
        found = _difference(play, program)
        if found is None:
            return None
    return found


def _difference(play: Play, program: ShareProgram) -> Difference | None:
    ours, theirs = play(program)
    return None if ours == theirs else Difference(program, ours, theirs)


def _play(system: System, receiver: Receiver, program: ShareProgram) -> list[str]:
    """The results of all steps; the last one may say that the system was too slow."""
    lines: list[str] = []
    name = f"program-{uuid.uuid4().hex[:8]}"
    with closing(Kafka(system, receiver, name, Formatter())) as kafka:
        try:
            game = ShareGame(kafka, program.conditions)
            for step in program.steps:
                lines.append(f"{step}: {step.play(game)}")
                if not isinstance(step, Expire):
                    game.check_locks()
        except LockTooOld:
            lines.append(f"{system.name} was too slow")
        except (AssertionError, Closed, TimeoutError) as error:
            lines.append(f"{system.name} failed: {error!r}")
    return lines


def main() -> int:
    """Run, and print the shrunk differences; returns 1 if there is one."""
    parser = argparse.ArgumentParser(prog="make share-programs", description="Compare programs.")
    parser.add_argument("--programs", type=int, default=1, help="their number")
    parser.add_argument("--first", type=int, help="the seed of the first one")
    given = parser.parse_args()
    missing = missing_kafka()
    if missing is not None:
        print(f"there is no real Kafka to compare with: {missing}", file=sys.stderr)
        return 2
    first = randrange(1 << 32) if given.first is None else given.first
    with both_systems() as play:
        found = differences(play, range(first, first + given.programs))
        for each in found:
            print(shrunk(play, each))
    print(f"{given.programs} programs from seed {first} on, {len(found)} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
