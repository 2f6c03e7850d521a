"""Groups stay consistent with any requests, and their state in memory is that of their log."""

from __future__ import annotations

import pytest

from tests.broker.groups.model.run import play

SEEDS = 60


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_rule_holds(seed: int) -> None:
    """``python -m tests.broker.groups.model --seed N`` repeats a run and prints its steps."""
    assert play(seed).failure is None, f"python -m tests.broker.groups.model --seed {seed}"


def test_a_seed_determines_the_run() -> None:
    """Two runs of a seed have the same steps."""
    assert play(5).digest == play(5).digest
