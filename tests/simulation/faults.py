"""What is done to nodes, and how all of it is undone.

pause         its followers do not fetch          stop       it crashes
deafen        it hears nothing of the controller  refuse     its next change of a set is refused
hold questions, hold answers                      leave open ...or may have been, but was not
              what it asks the controller,        lose answer ...or may have been, and was
              or what that answers, comes later   repeat     ...or arrives once more, later
stall         what other nodes ask it on the connections they have comes later
"""

from __future__ import annotations

import os
from pathlib import Path

from broker.cluster import Cluster
from broker.node import Node
from tests.simulation.line import Line
from tests.simulation.network import SlowNetwork
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
        self._lines: dict[Node, Line] = {}

    async def happen(self, kind: str, node_id: int) -> None:
        """Do one of those above to a node, or undo it; nothing if it is so already."""
        cluster = self._cluster
        node = cluster.members[node_id].node
        if kind in ("stall", "flow"):
            getattr(self._network, kind)(cluster.members[node_id].broker.port)
        elif node is None:
            if kind == "start":
                await cluster.start(node_id)
        elif kind == "stop":
            self._rules.look_closely()
            self._rules.forget(node)
            await cluster.stop(node_id)
        elif kind == "pause":
            node.replication.pause()
        elif kind == "resume":
            node.replication.resume()
        elif kind == "deafen":
            node.feed.hold()
        elif kind == "tell":
            node.feed.release()
        elif kind != "start":
            self._line(node).happen(kind)

    def lose(self, node_id: int, part: float) -> None:
        """Leave only that part of each last segment, if the node is down."""
        if self._cluster.members[node_id].node is None:
            self._rules.has_lost(node_id)
            for folder in (self._directory / f"node-{node_id}").glob("*-*"):
                if segments := sorted(folder.glob("*.log")):
                    os.truncate(segments[-1], int(segments[-1].stat().st_size * part))

    async def heal(self) -> None:
        """Undo everything."""
        for node_id, member in self._cluster.members.items():
            node = member.node
            self._network.flow(member.broker.port)
            if node is None:
                await self._cluster.start(node_id)
                continue
            node.replication.resume()
            self._line(node).let_speak()
            node.feed.release()

    def is_disturbed(self, node: Node) -> bool:
        """Whether the node and the controller may misunderstand each other."""
        return self._line(node).is_disturbed

    def _line(self, node: Node) -> Line:
        if node not in self._lines:
            self._lines[node] = Line(node.channel)
        return self._lines[node]
