"""The admin interface of a running cluster."""

from __future__ import annotations

from broker.admin.accept import Serve
from broker.admin.cluster_facts import ClusterFacts
from broker.admin.errors import AdminErrors
from broker.admin.listener import AdminListener
from broker.admin.server import AdminServer
from broker.cluster import Cluster
from broker.reset.given import Given
from purgatories.timer.system_timer import SystemTimer


def admin_interface(
    cluster: Cluster,
    given: Given,
    listener: AdminListener,
    timer: SystemTimer,
    errors: AdminErrors,
) -> Serve:
    """The function that serves a connection of *listener*; see `ClusterFacts` and `AdminServer`."""
    facts = ClusterFacts(cluster, given, errors)
    return AdminServer(listener, facts, timer, errors.report).serve
