"""`SharedCluster`: a cluster that tests of several processes use at the same time."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from antechamber.admin_client import AdminClient, AdminError, NoBroker, Parameters
from antechamber.admin_http import Body
from antechamber.handle import Handle
from antechamber.process_facts import ReadyFacts
from antechamber.testing.cluster_server import Address, Options, shared_ready

# What these requests change would affect the tests of other processes.
_REFUSED = ("/v1/nodes/", "/v1/clock/", "/v1/faults")
_WHY = (
    "the cluster is shared with tests of other processes; give the test a cluster of its own with "
    "@pytest.mark.antechamber(fresh=True)"
)


class SharedCluster(ReadyFacts, Handle):
    """The cluster of a `ClusterServer` with these options; raises `StartError`.

    Methods that change its nodes, its clock or its fault rules, or reset all of it, raise
    `AdminError`.
    """

    def __init__(self, server: Address, options: Options) -> None:
        __tracebackhide__ = True
        ready = shared_ready(server, options)
        ReadyFacts.__init__(self, ready)
        Handle.__init__(self, _Client(ready["admin"]))

    @property
    def is_running(self) -> bool:
        """Whether the broker responds."""
        try:
            self.cluster()
        except NoBroker:
            return False
        return True


class _Client(AdminClient):
    """A client that refuses the requests that would affect other tests."""

    def call(
        self,
        method: str,
        path: str,
        wanted: Parameters | None = None,
        wait_s: float = 0.0,
        body: Body = None,
    ) -> Any:
        """See `AdminClient`."""
        resets_all = path == "/v1/reset" and not (wanted or {}).get("prefix")
        if method != "GET" and (path.startswith(_REFUSED) or resets_all):
            raise AdminError(HTTPStatus.CONFLICT, _WHY)
        return super().call(method, path, wanted, wait_s, body)
