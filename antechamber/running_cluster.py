"""`RunningCluster`: a cluster that runs already, inspected and faulted from Python.

kafka = antechamber.RunningCluster("https://broker:9644", token=token, ca="ca.pem")
kafka.wait_parked("Produce", topic="orders")
"""

from __future__ import annotations

import os

from antechamber.admin_client import ADMIN_URL_DEFAULT, AdminClient, NoBroker
from antechamber.handle import Handle, Node


class RunningCluster(Handle):
    """A cluster that runs already, whose admin interface is at the URL *admin*.

        token: the bearer token, if the broker requires one. With a read-only token, the methods
        that change something raise `AdminError`.
        ca: a PEM file with the certificates to trust; by default those of the system.

    Raises ``ValueError`` if an argument is invalid. The methods raise `NoBroker` if no broker is
    reachable, and `AdminError` with the broker's message if it refuses a request.
    """

    def __init__(
        self,
        admin: str = ADMIN_URL_DEFAULT,
        *,
        token: str | None = None,
        ca: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__(AdminClient(admin, token=token, ca=ca))

    @property
    def bootstrap(self) -> str:
        """The bootstrap servers for clients: ``HOST:PORT,HOST:PORT,...``.

        They are the addresses of the listener by which the nodes connect to each other.
        """
        return ",".join(
            f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for _, host, port in self.nodes
        )

    @property
    def is_running(self) -> bool:
        """Whether the broker responds."""
        try:
            self.cluster()
        except NoBroker:
            return False
        return True

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes, with ids from 1."""
        nodes = self.cluster()["nodes"]
        return tuple(Node(each["id"], each["host"], each["port"]) for each in nodes)
