"""Selects the replica that a consumer in a rack reads from (KIP-392).

Kafka's ``RackAwareReplicaSelector``: the leader, if it is in the rack of the consumer or no in-sync
follower there has the fetch offset; else the follower there whose log is longest. Of followers with
logs of equal length, the one that was caught up last is selected.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.controller.metadata.image import Broker
from broker.replication.fetch_data import PreferredReadReplica
from broker.replication.leader_state import LeaderState
from broker.replication.replica import Replica


class RackAwareReplicaSelector:
    """Selects replicas for a node, which knows the nodes that are *alive*."""

    def __init__(self, node_id: int, alive: Callable[[int], Broker | None]) -> None:
        self._node_id = node_id
        self._alive = alive

    def for_rack(self, rack: str) -> PreferredReadReplica | None:
        """How to select the replica for a consumer in *rack*; None for one without a rack."""
        if not rack:
            return None
        return lambda leader_state, fetch_offset: self._select(leader_state, rack, fetch_offset)

    def _select(self, leader_state: LeaderState, rack: str, fetch_offset: int) -> int | None:
        """The follower to read from, in *rack*; None for the leader, which is this node."""
        if self._is_in(rack, self._node_id):
            return None
        followers = [
            replica
            for replica in leader_state.replicas.values()
            if replica.node_id in leader_state.isr.committed
            and replica.log_start_offset <= fetch_offset <= replica.log_end_offset
            and self._is_in(rack, replica.node_id)
        ]
        return max(followers, key=_preference).node_id if followers else None

    def _is_in(self, rack: str, node_id: int) -> bool:
        broker = self._alive(node_id)
        return broker is not None and broker.rack == rack


def _preference(replica: Replica) -> tuple[int, float, int]:
    return replica.log_end_offset, replica.last_caught_up_time_ms, replica.node_id
