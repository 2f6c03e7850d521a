"""Applies faults to nodes, and undoes them.

pause            its fetchers do not fetch             resume
stop             it crashes                            start
shut down        it stops in an orderly way            start
hold metadata    it gets no metadata                   release metadata
hold requests    its requests to the controller wait   restore channel
hold responses   the controller's responses wait       restore channel
refuse           its next ISR change is refused
fail unknown     its next ISR change fails with an error that leaves the outcome open
lose response    its next ISR change is made, and the response is such an error
repeat           its next ISR change arrives again at the time of restore channel
stall            requests of other nodes on their present connections to it wait   unstall
hold, lose       the same for requests of transactions; see `request_faults`
a link rule      a direction between nodes, or to the controller, has a fault; see `link_rules`
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from broker.cluster import Cluster
from broker.common.errors import WrongState
from broker.faults.rule_spec import CONTROLLER
from broker.node import Node
from tests.simulation.channel_faults import ChannelFaults
from tests.simulation.network import SlowNetwork
from tests.simulation.request_faults import REQUEST_FAULTS, apply_request_fault
from tests.simulation.rules import Rules


class Faults:
    """The faults of one run."""

    def __init__(
        self, cluster: Cluster, network: SlowNetwork, directory: Path, rules: Rules
    ) -> None:
        self._cluster = cluster
        self._network = network
        self._directory = directory
        self._rules = rules
        self._channels: dict[Node, ChannelFaults] = {}

    async def apply(self, kind: str, node_id: int) -> None:
        """Apply a fault to a node, or undo it; no effect if it is applied already."""
        cluster = self._cluster
        node, port = cluster.members[node_id].node, cluster.members[node_id].broker.port
        if kind in REQUEST_FAULTS:
            apply_request_fault(self._network, kind, port)
        elif node is None:
            if kind == "start":
                with suppress(WrongState):  # a link rule cuts it off from the controller
                    await cluster.start(node_id)
        elif kind in ("stop", "shut down"):
            self._rules.check_all()
            self._rules.forget(node)
            await (cluster.stop if kind == "stop" else cluster.shut_down)(node_id)
        elif kind == "pause":
            node.replication.pause()
        elif kind == "resume":
            node.replication.resume()
        elif kind == "hold metadata":
            node.feed.hold()
        elif kind == "release metadata":
            node.feed.release()
        elif kind != "start":
            self._channel(node).apply(kind)

    def lose(self, node_id: int, part: float) -> None:
        """Keep only that part of each last segment, if the node is down."""
        if self._cluster.members[node_id].node is None:
            self._rules.record_loss(node_id)
            for folder in (self._directory / f"node-{node_id}").glob("*-*"):
                if segments := sorted(folder.glob("*.log")):
                    os.truncate(segments[-1], int(segments[-1].stat().st_size * part))

    def add_link_rule(self, rule: dict[str, Any]) -> None:
        """Set a fault rule about a link."""
        self._cluster.faults.add(rule)

    async def heal(self) -> None:
        """Undo all faults."""
        self._cluster.faults.clear()
        for node_id, member in self._cluster.members.items():
            node = member.node
            self._network.heal(member.broker.port)
            if node is None:
                await self._cluster.start(node_id)
                continue
            node.replication.resume()
            self._channel(node).restore()
            node.feed.release()

    def is_disturbed(self, node: Node) -> bool:
        """Whether requests between the node and the controller may fail."""
        return self._channel(node).is_disturbed or self._has_exchange(node)

    def _has_exchange(self, node: Node) -> bool:
        """Whether a link rule delays requests to the controller, or one has no response yet."""
        ends = node.id, CONTROLLER
        return bool(node.channel._requests) or any(  # noqa: SLF001 - only tests need it
            self._cluster.links.direction(*each).is_faulty for each in (ends, ends[::-1])
        )

    def _channel(self, node: Node) -> ChannelFaults:
        if node not in self._channels:
            self._channels[node] = ChannelFaults(node.channel)
        return self._channels[node]
