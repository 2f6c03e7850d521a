"""Runs many seeds, or one: ``python -m tests.broker.groups.model --seeds 1000``, ``--seed 47``."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from functools import partial
from multiprocessing import Pool

from tests.broker.groups.model.plan import STEPS
from tests.broker.groups.model.run import Result, play


def main() -> int:
    """Run the seeds and report failures; returns 1 if a seed failed, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.broker.groups.model")
    parser.add_argument("--seeds", type=int, default=1000, help="number of seeds (1000)")
    parser.add_argument("--first", type=int, default=0, help="first seed (0)")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"steps of each run ({STEPS})")
    parser.add_argument("--seed", type=int, help="run only this seed and print its steps")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="processes (one for each core)"
    )
    arguments = parser.parse_args()
    logging.lastResort = None
    if arguments.seed is not None:
        result = play(arguments.seed, arguments.steps)
        print(*result.lines, sep="\n")
        print(_summary(result))
        return 0 if result.failure is None else 1
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    failed = 0
    with Pool(arguments.jobs) as pool:
        one = partial(play, steps=arguments.steps)
        for result in pool.imap_unordered(one, seeds, chunksize=5):
            if result.failure is not None:
                failed += 1
                print(_summary(result), flush=True)
    print(f"{len(seeds)} seeds, {failed} failed")
    return 1 if failed else 0


def _summary(result: Result) -> str:
    ended = result.failure or f"every rule held ({result.digest})"
    return f"seed {result.seed}, {len(result.lines)} steps: {ended}"


if __name__ == "__main__":
    sys.exit(main())
