"""All experiments, in the order of the page."""

from __future__ import annotations

from typing import Any

from benchmarks.atlas import (
    acks,
    acks_measured,
    expiry_lateness,
    expiry_measured,
    fetch_grid,
    fetch_measured,
    linger,
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
        acks_measured,
        shrinking_isr,
        linger,
        long_poll,
        fetch_measured,
        fetch_grid,
        rebalance,
        expiry_lateness,
        expiry_measured,
        timer_cost,
        timer_steps,
        operation_bytes,
        reaper_wakeups,
        lost_wakeup,
        purge_estimate,
        shards,
    )
}
