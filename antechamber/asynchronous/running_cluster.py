"""The asynchronous form of `antechamber.running_cluster`: made by `make docs`, do not edit."""

from __future__ import annotations

import os

from antechamber.admin_client import ADMIN_URL_DEFAULT, NoBroker
from antechamber.asynchronous.admin_client import AsyncAdminClient
from antechamber.asynchronous.handle import AsyncHandle
from antechamber.handle import Node


class AsyncRunningCluster(AsyncHandle):
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
        super().__init__(AsyncAdminClient(admin, token=token, ca=ca))

    async def bootstrap(self) -> str:
        """The bootstrap servers for clients: ``HOST:PORT,HOST:PORT,...``.

        They are the addresses of the listener by which the nodes connect to each other.
        """
        return ",".join(
            (
                f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
                for _, host, port in await self.nodes()
            )
        )

    async def is_running(self) -> bool:
        """Whether the broker responds."""
        try:
            await self.cluster()
        except NoBroker:
            return False
        return True

    async def nodes(self) -> tuple[Node, ...]:
        """The nodes, with ids from 1."""
        nodes = (await self.cluster())["nodes"]
        return tuple(Node(each["id"], each["host"], each["port"]) for each in nodes)
