"""All experiments, in the order of the page."""

from __future__ import annotations

from typing import Any

from benchmarks.atlas import acks, fetch_grid, long_poll, shrinking_isr
from benchmarks.atlas.experiment import Experiment

EXPERIMENTS: dict[str, Experiment[Any]] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (acks, shrinking_isr, long_poll, fetch_grid)
}
