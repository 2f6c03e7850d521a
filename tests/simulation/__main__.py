"""Run many seeds, or replay one: python -m tests.simulation --seeds 5000 --first 200, --seed 47."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from multiprocessing import Pool

from tests.simulation.plan import draw
from tests.simulation.run import Result, play


def main() -> int:
    """Parse the arguments, run, and print failures; the exit code is 1 if a seed failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000, help="the number of seeds (1000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--seed", type=int, help="run only this seed and print its log")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    arguments = parser.parse_args()
    logging.lastResort = None
    os.environ["ANTECHAMBER_STRICT"] = "1"  # an exception in a request ends the run
    if arguments.seed is not None:
        return _replay(arguments.seed)
    return _many(range(arguments.first, arguments.first + arguments.seeds), arguments.jobs)


def _replay(seed: int) -> int:
    plan, result = draw(seed), play(seed)
    settings = {name: value for name, value in vars(plan).items() if name != "steps"}
    print(*(f"{name}: {value}" for name, value in settings.items()), sep="\n")
    print(*result.lines, sep="\n")
    print(_describe(result))
    return 0 if result.failure is None else 1


def _many(seeds: range, jobs: int) -> int:
    failed = 0
    with Pool(jobs) as pool:
        for count, result in enumerate(pool.imap_unordered(play, seeds, chunksize=5), start=1):
            if result.failure is not None:
                failed += 1
                print(_describe(result), flush=True)
            print(f"\r{count} of {len(seeds)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(f"{len(seeds)} seeds, {failed} failed")
    return 1 if failed else 0


def _describe(result: Result) -> str:
    ended = result.failure or f"all rules hold ({result.digest})"
    return f"seed {result.seed}: {ended}"


if __name__ == "__main__":
    sys.exit(main())
