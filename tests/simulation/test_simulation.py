"""The rules hold under faults: one run for each seed, which can be replayed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.purgatories.builds import only_pure
from tests.simulation.link_rules import LINKS_SINCE
from tests.simulation.run import play

pytestmark = only_pure("compiled functions do not call the functions that report to the rules")

ROOT = Path(__file__).parent.parent.parent
# From 1002 on, transactions have rare events; in 1557 a marker that is not written is noticed. In
# 6171 the followers restart from before a deletion; in 6671 the controller has committed an ISR
# change and the leader repeats it; in 7160 a follower has an uncommitted record where its leader
# has deleted others. From 10,000 on, links have faults; in 10,105 lost metadata are noticed.
SEEDS = (
    *range(150),
    *range(1002, 1152, 5),
    1557,
    6171,
    6671,
    7160,
    *range(LINKS_SINCE, LINKS_SINCE + 40),
    10_105,
)


@pytest.mark.parametrize("seed", SEEDS)
def test_rules_hold(seed: int) -> None:
    """``python -m tests.simulation --seed N`` replays a run and prints its log."""
    assert play(seed).failure is None, f"replay: python -m tests.simulation --seed {seed}"


def test_a_run_depends_on_its_seed_only() -> None:
    """The same events happen at the same times in another process with another hash seed."""
    command = [sys.executable, "-m", "tests.simulation", "--seed", "7"]
    lines = [
        subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]

    assert lines[0] == lines[1]
    assert f"({play(7).digest})" in lines[0]
