"""A follower that lags for too long is not in sync any more, if its leader can remove it.

the leader's log ends at 10                 the follower has not reached 10: not in the ISR
    |------- lag max, and the rest until the next check: 1.5 lag max ------------|
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import PartitionRegistration
from broker.node import Node
from broker.replication.partition import Partition
from tests.simulation.violation import Violation

SLACK_MS = 5


@dataclass(frozen=True)
class _Lag:
    """A member that lags, and the log end offset of its leader at that time."""

    since_ms: float
    end: int
    leader_epoch: int


class LaggingRule:
    """Records since when each member of an ISR lacks records of its leader."""

    def __init__(
        self,
        cluster: Cluster,
        keys: Sequence[TopicPartition],
        lag_max_ms: int,
        is_disturbed: Callable[[Node], bool],
    ) -> None:
        self._cluster = cluster
        self._keys = keys
        self._limit_ms = 1.5 * lag_max_ms + SLACK_MS
        self._is_disturbed = is_disturbed
        self._lags: dict[tuple[TopicPartition, int], _Lag] = {}

    def check(self) -> None:
        """Raise `Violation` if a member of an ISR has lagged for longer than allowed."""
        before, self._lags = self._lags, {}
        for key in self._keys:
            topic = self._cluster.controller.topic(key.topic)
            assert topic is not None
            known = topic.partitions[key.partition]
            leader = self._leader(key, known)
            if leader is not None:
                self._check_partition(known, leader, before)

    def _check_partition(
        self,
        known: PartitionRegistration,
        leader: Partition,
        before: dict[tuple[TopicPartition, int], _Lag],
    ) -> None:
        now_ms, key = self._cluster.clock.now_ms(), leader.key
        new = _Lag(now_ms, leader.log.log_end_offset, known.leader_epoch)
        for node_id, end in self._ends(key, known.isr):
            if end >= new.end:
                continue
            lag = before.get((key, node_id), new)
            if lag.leader_epoch != known.leader_epoch or end >= lag.end:
                lag = new
            self._lags[key, node_id] = lag
            lag_ms = now_ms - lag.since_ms
            if lag_ms > self._limit_ms:
                raise Violation(
                    f"node {node_id}, in sync of {key}: ends at {end}, while the leader has "
                    f"ended at {lag.end} or later for {lag_ms:.0f} ms"
                )

    def _leader(self, key: TopicPartition, known: PartitionRegistration) -> Partition | None:
        """The leader, if its metadata is up to date and its requests reach the controller."""
        for node in self._cluster.nodes:
            if node.id == known.leader and not self._is_disturbed(node):
                partition = node.replicas.partitions.get(key)
                if partition is not None and partition.leader_state is not None:
                    return partition if partition.registration == known else None
        return None

    def _ends(self, key: TopicPartition, isr: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """The log end offsets of the members."""
        for node in self._cluster.nodes:
            partition = node.replicas.partitions.get(key)
            if node.id in isr:
                yield node.id, 0 if partition is None else partition.log.log_end_offset
