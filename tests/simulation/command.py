"""The command of a simulation: run many seeds, or replay one."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable
from multiprocessing import Pool
from typing import Any

from tests.simulation.playing import Result


def main(module: str, draw: Callable[[int], Any], play: Callable[[int], Result]) -> int:
    """Parse the arguments, run, and print failures; the exit code is 1 if a seed failed.

    *draw* returns the plan of a seed, *play* follows it; *module* is the name of the command.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000, help="the number of seeds (1000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--seed", type=int, help="run only this seed and print its log")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    arguments = parser.parse_args()
    logging.lastResort = None
    if arguments.seed is not None:
        return _replay(draw(arguments.seed), play(arguments.seed))
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    return _many(play, seeds, arguments.jobs)


def _replay(plan: Any, result: Result) -> int:
    settings = {name: value for name, value in vars(plan).items() if name != "steps"}
    print(*(f"{name}: {value}" for name, value in settings.items()), sep="\n")
    print(*result.lines, sep="\n")
    print(_describe(result))
    return 0 if result.failure is None else 1


def _many(play: Callable[[int], Result], seeds: range, jobs: int) -> int:
    failed = 0
    with Pool(jobs) as pool:
        for count, result in enumerate(pool.imap_unordered(play, seeds, chunksize=5), start=1):
            if result.failure is not None:
                failed += 1
                print(_describe(result), flush=True)
            if sys.stderr.isatty():
                print(f"{count} of {len(seeds)}", end="\r", file=sys.stderr, flush=True)
    print(f"{len(seeds)} seeds, {failed} failed")
    return 1 if failed else 0


def _describe(result: Result) -> str:
    ended = result.failure or f"all rules hold ({result.digest})"
    return f"seed {result.seed}: {ended}"
