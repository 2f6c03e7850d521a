"""`python -m integration.storage.crash --times N`: kills a writer at random moments, N times.

A child opens the logs (and so recovers what the one before it left), appends, rolls, checkpoints,
flushes, compacts, deletes, and sometimes closes in order; SIGKILL may meet it anywhere, in its
recovery, too. Whatever it was told to be done it notes in a file before it goes on. After each
death the logs are opened: every record noted must be there, in its place, in whole batches, and
soon; what kinds of logs there are, `integration.storage.crash_logs` says.

The seed is printed; it decides what the children do, and about where in that they die.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from integration.storage.crash_logs import CrashLogs, noted

# How much a child may do before it dies, and for how long it may go on then.
NOTES_MAX = 400
DIES_WITHIN_SECONDS = 0.01
# Many times what recovery takes: a bound, not a measure.
RECOVERS_WITHIN_SECONDS = 5.0
_HAS_ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT
# Then logs begin anew, so that the checks do not take longer and longer.
LIVES_OF_A_FOLDER = 25


def main() -> int:
    """Kill as often as asked; AssertionError tells what was lost."""
    parser = argparse.ArgumentParser(
        prog="python -m integration.storage.crash", description=__doc__
    )
    parser.add_argument("--times", type=int, default=300, help="how many writers to kill")
    parser.add_argument("--seed", type=int, default=None, help="as an earlier run printed it")
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    kept = slowest = 0.0
    for begin in range(0, options.times, LIVES_OF_A_FOLDER):
        with tempfile.TemporaryDirectory(prefix="antechamber-crash-") as folder:
            for _ in range(min(LIVES_OF_A_FOLDER, options.times - begin)):
                _live_and_die(Path(folder), chance)
                count, seconds = _check(Path(folder))
                slowest = max(slowest, seconds)
            kept += count
    print(f"{options.times} killed, {kept:.0f} records kept, slowest recovery {slowest:.3f} s")
    return 0


def _live_and_die(folder: Path, chance: random.Random) -> None:
    """One child, from its start to its death; a third of them die before they have done much."""
    seed, moment = chance.random(), chance.uniform(0, DIES_WITHIN_SECONDS)
    notes = noted(folder) + max(0, chance.randrange(-NOTES_MAX // 2, NOTES_MAX))
    child = os.fork()
    if not child:
        try:
            of_child = random.Random(seed)
            while True:
                CrashLogs(folder).write(of_child)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        os._exit(1)
    while noted(folder) < notes and not os.waitid(os.P_PID, child, _HAS_ENDED):
        time.sleep(0.0005)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the writer failed before it was killed"


def _check(folder: Path) -> tuple[int, float]:
    """Open the logs and look; returns how many records were written, and how long opening took.

    What looks dies without a word, so the next child recovers, too.
    """
    began = time.perf_counter()
    logs = CrashLogs(folder)
    seconds = time.perf_counter() - began
    assert seconds < RECOVERS_WITHIN_SECONDS, f"recovery took {seconds:.1f} s"
    count = logs.check()
    logs.die()
    return count, seconds


if __name__ == "__main__":
    import logging

    # The recoveries that are meant to happen say a line each.
    logging.disable(logging.WARNING)
    sys.exit(main())
