"""The links of one node to the other nodes."""

from __future__ import annotations

from broker.config import Config
from broker.links.links import Links
from broker.network.inter_broker.link import Link
from purgatories.timer.system_timer import SystemTimer


class NodeLinks:
    """Makes the link of node *node_id* to each other node; ``timer`` is the node's."""

    def __init__(self, links: Links, node_id: int, timer: SystemTimer, config: Config) -> None:
        self._links = links
        self._node_id = node_id
        self._timer = timer
        self._config = config

    def to(self, node_id: int) -> Link:
        """The link to a node, perhaps to this one."""
        return Link(
            self._links.direction(self._node_id, node_id),
            self._links.direction(node_id, self._node_id),
            self._timer,
            request_timeout_ms=self._config.replica_socket_timeout_ms,
            setup_timeout_ms=self._config.socket_connection_setup_timeout_ms,
        )
