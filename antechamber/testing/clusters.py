"""The clusters of a test session: one for each set of options, started when it is first used.

They are those of this process, or of pytest-xdist's controller if its workers share them.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antechamber.cluster import Cluster
    from antechamber.running_cluster import RunningCluster
    from antechamber.testing.cluster_server import Address
    from antechamber.testing.shared_cluster import SharedCluster

    AnyCluster = Cluster | RunningCluster | SharedCluster

Options = dict[str, Any]

_BACK = {"paused": "resume", "stopped": "start"}
_IN_SYNC_TIMEOUT_S = 30


class Clusters:
    """Starts clusters, and stops them when it is closed.

    With the address of a `ClusterServer`, its clusters are used, and they are not stopped.
    """

    def __init__(self, server: Address | None = None) -> None:
        self._server = server
        self._running: dict[str, AnyCluster] = {}
        self._stack = ExitStack()

    def start(self, options: Options) -> Cluster:
        """Start a cluster of this process."""
        __tracebackhide__ = True
        from antechamber.cluster import Cluster

        return Cluster(**_recording(options))

    def get(self, options: Options, *, is_reset: bool = False) -> AnyCluster:
        """Return the cluster with these options; starts it if it does not run.

        With *is_reset* it is another one, of this process, which tests can reset. With ``admin`` it
        is a cluster that runs already, and is not stopped.
        """
        __tracebackhide__ = True
        key = repr((is_reset, sorted(options.items())))
        if key not in self._running or not self._running[key].is_running:
            self._running[key] = self._connect(options, is_reset)
        return self._running[key]

    def _connect(self, options: Options, is_reset: bool) -> AnyCluster:
        __tracebackhide__ = True
        if "admin" in options:
            from antechamber.running_cluster import RunningCluster

            return RunningCluster(**options)
        if self._server is not None and not is_reset:
            from antechamber.testing.shared_cluster import SharedCluster

            return SharedCluster(self._server, _recording(options))
        return self._stack.enter_context(self.start(options))

    def running(self) -> list[AnyCluster]:
        """The clusters that have been used."""
        return [*self._running.values()]

    def close(self) -> None:
        """Stop the clusters that were started."""
        self._stack.close()


def _recording(options: Options) -> Options:
    """The options of a cluster that keeps wait records, for the reports of failed tests."""
    return {"record": True, **options}


def undo_faults(cluster: AnyCluster) -> None:
    """Undo the faults of a test: its fault rules, the clock, and paused or stopped nodes.

    A shared cluster has none.
    """
    from antechamber.testing.shared_cluster import SharedCluster

    if isinstance(cluster, SharedCluster):
        return
    if cluster.faults.all():
        cluster.faults.clear()
    if cluster.clock.state()["speed"] != 1:
        cluster.clock.run()
    faulted = [node for node in cluster.cluster()["nodes"] if node["state"] in _BACK]
    for node in faulted:
        getattr(cluster, _BACK[node["state"]])(node["id"])
    if faulted:
        cluster.wait_in_sync(timeout=_IN_SYNC_TIMEOUT_S)
