"""The control of the clock of a cluster in memory."""

from __future__ import annotations

from functools import partial

from broker.admin.facts.cluster_clock import cluster_timers
from broker.clock_control.control import ClockControl
from tests.client import RunningCluster


def control_of(running: RunningCluster) -> ClockControl:
    """The control of a running cluster's clock."""
    cluster = running.cluster
    return ClockControl(cluster.clock, partial(cluster_timers, cluster), cluster.recorder)
