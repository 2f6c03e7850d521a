"""The experiments of the atlas that measure this machine, at a small size, show their claims."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.experiments import EXPERIMENTS

MEASURED = [each for each in EXPERIMENTS.values() if not each.is_virtual]


@pytest.mark.parametrize("experiment", MEASURED, ids=lambda each: each.name)
def test_an_experiment_shows_its_claim(experiment: Experiment[Any]) -> None:
    """Its check accepts the rows, which have a value for each column."""
    rows = experiment.measure(experiment.small_size)

    experiment.check(rows)

    assert {len(row) for row in rows} == {len(experiment.columns)}
