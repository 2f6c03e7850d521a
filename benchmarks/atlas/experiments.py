"""All experiments, in the order of the page."""

from __future__ import annotations

from typing import Any

from benchmarks.atlas import (
    acks,
    expiry_lateness,
    fetch_grid,
    long_poll,
    lost_wakeup,
    operation_bytes,
    purge_estimate,
    reaper_wakeups,
    rebalance,
    shards,
    shrinking_isr,
    timer_cost,
    timer_steps,
)
from benchmarks.atlas.experiment import Experiment

EXPERIMENTS: dict[str, Experiment[Any]] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (
        acks,
        shrinking_isr,
        long_poll,
        fetch_grid,
        rebalance,
        expiry_lateness,
        timer_cost,
        timer_steps,
        operation_bytes,
        reaper_wakeups,
        lost_wakeup,
        purge_estimate,
        shards,
    )
}
