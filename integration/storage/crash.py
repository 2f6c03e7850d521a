"""`python -m integration.storage.crash --times N`: kills a writer at random moments, N times.

A child opens the logs (and so recovers those of its predecessor), appends, rolls, checkpoints,
flushes, compacts, deletes, and sometimes closes in order. SIGKILL may occur at any moment, even in
recovery. The child records each completed operation in a file before it continues. After each kill
the logs are opened: every recorded record must be present, at its offset, in whole batches. The
longest recovery is printed. `integration.storage.crash_logs` describes the kinds of logs.

The seed is printed; it determines the operations of the children and the approximate moments of
their kills.
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

# The number of operations of a child before the kill, and the time that it may run then.
NOTES_MAX = 400
DIES_WITHIN_SECONDS = 0.01
_HAS_ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT
# Then new logs are begun, so that the checks do not become slower.
LIVES_OF_A_FOLDER = 25


def main() -> int:
    """Kill the requested number of writers; raises AssertionError with the lost records."""
    parser = argparse.ArgumentParser(
        prog="python -m integration.storage.crash", description=__doc__
    )
    parser.add_argument("--times", type=int, default=300, help="how many writers to kill")
    parser.add_argument(
        "--seed", type=int, default=None, help="the seed that an earlier run printed"
    )
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
    """Run one child from its start to its kill; a third of them are killed early."""
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
    """Open and check the logs; returns the number of records, and the duration of opening.

    The checking process is killed as well, so that the next child recovers, too.
    """
    began = time.perf_counter()
    logs = CrashLogs(folder)
    seconds = time.perf_counter() - began
    count = logs.check()
    logs.die()
    return count, seconds


if __name__ == "__main__":
    import logging

    # Expected recoveries log a line each.
    logging.disable(logging.WARNING)
    sys.exit(main())
