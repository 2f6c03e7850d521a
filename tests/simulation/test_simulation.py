"""Promises are kept whatever goes wrong: one run for each seed, and each can be replayed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.run import play

ROOT = Path(__file__).parent.parent.parent
SEEDS = 150


@pytest.mark.parametrize("seed", range(SEEDS))
def test_promises_are_kept(seed: int) -> None:
    """``python -m tests.simulation --seed N`` replays a run and tells what happened in it."""
    assert play(seed).failure is None, f"replay: python -m tests.simulation --seed {seed}"


def test_a_seed_is_all_it_takes() -> None:
    """The same happens at the same times in another process, whatever its hashes are."""
    command = [sys.executable, "-m", "tests.simulation", "--seed", "7"]
    told = [
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

    assert told[0] == told[1]
    assert f"({play(7).digest})" in told[0]
