"""A follower that is caught up is not removed from the ISR, and joins it soon.

leader's log end   10          20      30      40
fetch offset       10 at end   15      25      35 ...
                               below 20        at or above 20, 30: keeps pace

A member that fetched from the log end of its leader within ``replica.lag.time.max.ms`` stays in the
ISR (KIP-16, Kafka's ``Replica.isCaughtUp``). A follower whose fetches always reach the log end of
the previous fetch joins, however fast the log grows: the high watermark waits for it (Kafka's
``Partition.maybeIncrementLeaderHW``), unless its fetches are further apart than
``replica.lag.time.max.ms``, as with a link that delays its messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import PartitionRegistration
from broker.controller.partitions.alter_partition import AlterPartition
from broker.node import Node
from tests.simulation.violation import Violation

# From its second such fetch on the high watermark waits for it; at the third it has reached that.
FETCHES_MAX = 3


@dataclass
class _Record:
    """A leader's view of a follower in one leader epoch and one broker epoch of the follower."""

    epochs: tuple[int, int]
    partition_epoch: int
    leader_end: int
    fetched_ms: float
    pace: int = 0
    full_ms: float = -inf


class CaughtUpRule:
    """Checks the fetches of followers and the ISR changes that leaders request."""

    def __init__(
        self, cluster: Cluster, lag_max_ms: int, is_disturbed: Callable[[Node], bool]
    ) -> None:
        self._cluster = cluster
        self._lag_max_ms = lag_max_ms
        self._is_disturbed = is_disturbed
        self._records: dict[tuple[int, TopicPartition, int], _Record] = {}
        self._requested: dict[tuple[int, TopicPartition], AlterPartition] = {}

    def follower_fetched(
        self,
        leader_id: int,
        key: TopicPartition,
        known: PartitionRegistration,
        replica: tuple[int, int],
        offset: int,
        leader_end: int,
    ) -> None:
        """A *replica*, node and broker epoch, fetches from *offset*.

        Raises `Violation` if it should be in sync for some time.
        """
        node_id, broker_epoch = replica
        epochs, now_ms = (known.leader_epoch, broker_epoch), self._cluster.clock.now_ms()
        record = self._records.get((leader_id, key, node_id))
        if record is None or record.epochs != epochs:
            record = _Record(epochs, known.partition_epoch, leader_end, now_ms)
            self._records[leader_id, key, node_id] = record
        elif (
            offset >= record.leader_end
            and now_ms - record.fetched_ms <= self._lag_max_ms
            and known.partition_epoch == record.partition_epoch
            and self._could_join(leader_id, key, known, replica)
        ):
            record.pace += 1
        else:
            record.pace = 0
        record.leader_end, record.partition_epoch = leader_end, known.partition_epoch
        record.fetched_ms = now_ms
        if offset >= leader_end:
            record.full_ms = now_ms
        if record.pace > FETCHES_MAX:
            raise Violation(
                f"node {node_id} has kept up with node {leader_id}, leader of {key}, for "
                f"{record.pace} fetches, but is not in sync"
            )

    def _could_join(
        self,
        leader_id: int,
        key: TopicPartition,
        known: PartitionRegistration,
        replica: tuple[int, int],
    ) -> bool:
        """Whether it is not in sync and nothing prevents it from joining."""
        controller = self._cluster.controller
        node, topic = self._cluster.node(leader_id), controller.topic(key.topic)
        node_id, broker_epoch = replica
        return (
            topic is not None
            and topic.partitions[key.partition] == known
            and node_id not in known.isr
            and controller.image.alive(node_id)
            and controller.image.brokers[node_id].epoch == broker_epoch
            and controller.lag(leader_id) == 0
            and not self._is_disturbed(node)
        )

    def isr_change_requested(self, change: AlterPartition, isr: tuple[int, ...]) -> None:
        """A leader whose ISR is *isr* requests another; raises `Violation` if it is unfair.

        A repeated request was checked the first time.
        """
        place = change.node_id, change.key
        before, self._requested[place] = self._requested.get(place), change
        if change == before:
            return
        for node_id in set(isr) - set(change.new_isr):
            record = self._records.get((*place, node_id))
            if record is None or record.epochs[0] != change.leader_epoch:
                continue
            since_ms = self._cluster.clock.now_ms() - record.full_ms
            if since_ms <= self._lag_max_ms:
                raise Violation(
                    f"node {node_id} is removed by node {change.node_id}, leader of "
                    f"{change.key}, but was caught up {since_ms:.0f} ms ago"
                )
