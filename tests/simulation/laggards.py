"""Who lags for too long is not in sync any more, if its leader can do anything about it.

the leader's log ends at 10: a sight        the follower has never had 10: long out of the set
    |------- lag max, and what is left until the next check: 1.5 lag max --------|
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.image import PartitionRegistration
from broker.node import Node
from broker.replication.partition import Partition
from tests.simulation.violation import Violation

SLACK_MS = 5


@dataclass(frozen=True)
class _Sight:
    """A member that is behind, and where its leader's log ended then."""

    since_ms: float
    end: int
    leader_epoch: int


class Laggards:
    """Remembers since when each member of an in-sync set has not had what its leader had then."""

    def __init__(
        self,
        cluster: Cluster,
        keys: Sequence[TopicPartition],
        lag_max_ms: int,
        is_disturbed: Callable[[Node], bool],
    ) -> None:
        self._cluster = cluster
        self._keys = keys
        self._patience_ms = 1.5 * lag_max_ms + SLACK_MS
        self._is_disturbed = is_disturbed
        self._sights: dict[tuple[TopicPartition, int], _Sight] = {}

    def look(self) -> None:
        """Raise `Violation` if somebody is in sync who has lagged for longer than allowed."""
        before, self._sights = self._sights, {}
        for key in self._keys:
            topic = self._cluster.controller.topic(key.topic)
            assert topic is not None
            known = topic.partitions[key.partition]
            leader = self._leader(key, known)
            if leader is not None:
                self._look_at(known, leader, before)

    def _look_at(
        self,
        known: PartitionRegistration,
        leader: Partition,
        before: dict[tuple[TopicPartition, int], _Sight],
    ) -> None:
        now_ms, key = self._cluster.clock.now_ms(), leader.key
        new = _Sight(now_ms, leader.log.log_end_offset, known.leader_epoch)
        for node_id, end in self._ends(key, known.isr):
            if end >= new.end:
                continue
            sight = before.get((key, node_id), new)
            if sight.leader_epoch != known.leader_epoch or end >= sight.end:
                sight = new
            self._sights[key, node_id] = sight
            lag_ms = now_ms - sight.since_ms
            if lag_ms > self._patience_ms:
                raise Violation(
                    f"node {node_id}, in sync of {key}: ends at {end}, while the leader has had "
                    f"{sight.end} for {lag_ms:.0f} ms"
                )

    def _leader(self, key: TopicPartition, known: PartitionRegistration) -> Partition | None:
        """The leader, if it knows what the controller knows, and is heard by it."""
        for node in self._cluster.nodes:
            if node.id == known.leader and not self._is_disturbed(node):
                partition = node.replicas.partitions.get(key)
                if partition is not None and partition.leader_state is not None:
                    return partition if partition.registration == known else None
        return None

    def _ends(self, key: TopicPartition, isr: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Where the members' logs end."""
        for node in self._cluster.nodes:
            partition = node.replicas.partitions.get(key)
            if node.id in isr:
                yield node.id, 0 if partition is None else partition.log.log_end_offset
