"""Whatever clients do, groups stay consistent, and their log says what is in memory."""

from __future__ import annotations

import pytest

from tests.broker.groups.model.run import play

SEEDS = 60


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_rule_holds(seed: int) -> None:
    """``python -m tests.broker.groups.model --seed N`` replays a run and prints its steps."""
    assert play(seed).failure is None, f"python -m tests.broker.groups.model --seed {seed}"


def test_a_seed_is_all_it_takes() -> None:
    """The same seed does the same."""
    assert play(5).digest == play(5).digest
