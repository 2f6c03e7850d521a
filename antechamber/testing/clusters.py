"""The clusters of a test session: one for each set of options, started when it is first used."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antechamber.cluster import Cluster
    from antechamber.running_cluster import RunningCluster

    AnyCluster = Cluster | RunningCluster

Options = dict[str, Any]

_BACK = {"paused": "resume", "stopped": "start"}
_IN_SYNC_TIMEOUT_S = 30


class Clusters:
    """Starts clusters, and stops them when it is closed."""

    def __init__(self) -> None:
        self._running: dict[str, AnyCluster] = {}
        self._stack = ExitStack()

    def start(self, options: Options) -> Cluster:
        """Start a cluster that keeps wait records, for the reports of failed tests."""
        from antechamber.cluster import Cluster

        return Cluster(**{"record": True, **options})

    def get(self, options: Options) -> AnyCluster:
        """Return the cluster with these options; starts it if it does not run.

        With ``admin``, it is a cluster that runs already, and is not stopped.
        """
        key = repr(sorted(options.items()))
        if key not in self._running or not self._running[key].is_running:
            self._running[key] = self._connect(options)
        return self._running[key]

    def _connect(self, options: Options) -> AnyCluster:
        if "admin" not in options:
            return self._stack.enter_context(self.start(options))
        from antechamber.running_cluster import RunningCluster

        return RunningCluster(**options)

    def running(self) -> list[AnyCluster]:
        """The clusters that have been used."""
        return [*self._running.values()]

    def close(self) -> None:
        """Stop the clusters that were started."""
        self._stack.close()


def undo_faults(cluster: AnyCluster) -> None:
    """Run the clock at its normal speed, and the nodes that a test has paused or stopped."""
    if cluster.clock.state()["speed"] != 1:
        cluster.clock.run()
    faulted = [node for node in cluster.cluster()["nodes"] if node["state"] in _BACK]
    for node in faulted:
        getattr(cluster, _BACK[node["state"]])(node["id"])
    if faulted:
        cluster.wait_in_sync(timeout=_IN_SYNC_TIMEOUT_S)
