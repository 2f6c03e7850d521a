"""Applies the faults of a run with share groups, and undoes them.

stop, start      a node crashes and starts again
pause, resume    its fetchers do not fetch
hold metadata, release metadata
lose write request, lose write response    the connection breaks when the next WriteShareGroupState
                                           is sent to the node, or when the node responds to it
delay write request                        the next one arrives `LATE_MS` later
The same with ``read`` and ``initialize``. Links between nodes can be cut and mended.
"""

from __future__ import annotations

from broker.cluster import Cluster
from broker.links.direction import End
from tests.simulation.network import RequestFault, SlowNetwork, SlowTransport

LATE_MS = 1300
_API_KEYS = {"initialize": 83, "read": 84, "write": 85}


class Cut:
    """A rule for a link that carries no messages (a `LinkRule`)."""

    delay_ms, is_cut, is_loss = 0, True, False

    def __init__(self, one: int, other: int) -> None:
        self.label: dict[str, object] = {"cut": [one, other]}
        self.is_over = False
        self._ends = {one, other}

    def concerns(self, sender: End, receiver: End) -> bool:
        """See `LinkRule`."""
        return {sender, receiver} == self._ends

    def affects_message(self) -> bool:
        """See `LinkFault`."""
        return True


class ShareFaults:
    """The faults of one run."""

    def __init__(self, cluster: Cluster, network: SlowNetwork) -> None:
        self._cluster = cluster
        self._network = network
        self._cuts: list[Cut] = []

    async def apply(self, kind: str, node_id: int) -> None:
        """Apply a fault to a node, or undo it; no effect if that is impossible now."""
        member = self._cluster.members[node_id]
        node = member.node
        if kind.split()[0] in ("lose", "delay"):
            self._fail_request(kind, member.broker.port)
        elif node is None:
            if kind == "start":
                await self._cluster.start(node_id)
        elif kind == "stop":
            await self._cluster.stop(node_id)
        elif kind == "pause":
            node.replication.pause()
        elif kind == "resume":
            node.replication.resume()
        elif kind == "hold metadata":
            node.feed.hold()
        elif kind == "release metadata":
            node.feed.release()
        else:
            assert kind == "start", kind

    def _fail_request(self, kind: str, port: int) -> None:
        verb, api, part = kind.split()
        fault: RequestFault = _delay
        if verb == "lose":
            fault = SlowTransport.cut if part == "request" else _break_response
        self._network.fail_next_request(port, _API_KEYS[api], fault)

    def disconnect(self, node_id: int, chance: float) -> None:
        """Break connections to a node, each with that chance."""
        self._network.lose(self._cluster.members[node_id].broker.port, chance)

    def cut(self, one: int, other: int) -> None:
        """Let no message pass between two nodes."""
        self._cuts.append(Cut(one, other))
        self._cluster.links.set_rules(self._cuts)

    def mend(self) -> None:
        """Let messages pass again, also those that were withheld."""
        for each in self._cuts:
            each.is_over = True
        self._cuts = []
        self._cluster.links.set_rules(self._cuts)

    async def heal(self) -> None:
        """Undo all faults."""
        self.mend()
        for node_id, member in self._cluster.members.items():
            self._network.heal(member.broker.port)
            if member.node is None:
                await self._cluster.start(node_id)
            else:
                member.node.replication.resume()
                member.node.feed.release()


def _delay(link: SlowTransport) -> None:
    link.stall()
    link.network.delays.after(LATE_MS, link.unstall)


def _break_response(link: SlowTransport) -> None:
    link.other.breaks_at_next_send = True
