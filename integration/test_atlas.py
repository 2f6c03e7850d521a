"""The experiments of the atlas that measure this machine, at a small size, show their claims."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.atlas.brokers import BROKER, NAMES
from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.experiments import EXPERIMENTS
from integration.kafka.jars import missing_for_a_jvm
from integration.machine.requirements import need

pytestmark = pytest.mark.long

# A measurement that other processes disturb is repeated.
ATTEMPTS = 5
MEASURED = [each for each in EXPERIMENTS.values() if not each.is_virtual]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("experiment", MEASURED, ids=lambda each: each.name)
def test_an_experiment_shows_its_claim(experiment: Experiment[Any]) -> None:
    """Its check accepts the rows, which have a value for each column."""
    for left in reversed(range(ATTEMPTS)):
        rows = experiment.measure(experiment.small_size)
        try:
            experiment.check(rows)
        except AssertionError:
            if not left:
                raise
        else:
            break

    assert {len(row) for row in rows} == {len(experiment.columns)}
    if experiment.columns[0] == BROKER:
        need("jvm", missing_for_a_jvm())  # without a JVM, only this broker has been measured
        assert {row[0] for row in rows} == set(NAMES.values())
