"""Who keeps up is in sync: nobody who had all a moment ago is dropped, nobody is kept out for long.

the leader's end       10        20        30        40
a follower fetches at  | 10 full | 15      | 25      | 35 ...
                                 had not 20: no pace  had 20, 30: keeps pace, if never full again

A member that fetched from the very end of its leader's log within ``replica.lag.time.max.ms`` stays
(KIP-16, Kafka's ``Replica.isCaughtUp``). A follower that always has what there was when it asked
before gets in, however fast the log grows: the high watermark waits for it (Kafka's
``Partition.maybeIncrementLeaderHW``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.alter_partition import AlterPartition
from broker.controller.image import PartitionRegistration
from broker.node import Node
from tests.simulation.violation import Violation

# At its second such fetch the high watermark waits for it, at the third it has reached that.
FETCHES_MAX = 3


@dataclass
class _Record:
    """What a leader saw of a follower in one leader epoch, and in one life of the follower."""

    life: tuple[int, int]
    partition_epoch: int
    leader_end: int
    pace: int = 0
    full_ms: float = -inf


class Attendance:
    """Listens to the fetches of followers, and to what leaders ask of the controller."""

    def __init__(
        self, cluster: Cluster, lag_max_ms: int, is_disturbed: Callable[[Node], bool]
    ) -> None:
        self._cluster = cluster
        self._lag_max_ms = lag_max_ms
        self._is_disturbed = is_disturbed
        self._records: dict[tuple[int, TopicPartition, int], _Record] = {}
        self._asked: dict[tuple[int, TopicPartition], AlterPartition] = {}

    def fetched(
        self,
        leader_id: int,
        key: TopicPartition,
        known: PartitionRegistration,
        replica: tuple[int, int],
        offset: int,
        leader_end: int,
    ) -> None:
        """A *replica*, node and broker epoch, fetches from *offset*.

        Raises `Violation` if it should be in sync since long.
        """
        node_id, broker_epoch = replica
        life = known.leader_epoch, broker_epoch
        record = self._records.get((leader_id, key, node_id))
        if record is None or record.life != life:
            record = _Record(life, known.partition_epoch, leader_end)
            self._records[leader_id, key, node_id] = record
        elif (
            offset >= record.leader_end
            and known.partition_epoch == record.partition_epoch
            and self._could_join(leader_id, key, known, replica)
        ):
            record.pace += 1
        else:
            record.pace = 0
        record.leader_end, record.partition_epoch = leader_end, known.partition_epoch
        if offset >= leader_end:
            record.full_ms = self._cluster.clock.now_ms()
        if record.pace > FETCHES_MAX:
            raise Violation(
                f"node {node_id} has kept up with node {leader_id}, leader of {key}, for "
                f"{record.pace} fetches, and is not in sync"
            )

    def _could_join(
        self,
        leader_id: int,
        key: TopicPartition,
        known: PartitionRegistration,
        replica: tuple[int, int],
    ) -> bool:
        """Whether nothing is in its way, and it is not in sync yet."""
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

    def asked(self, change: AlterPartition, isr: tuple[int, ...]) -> None:
        """A leader whose set is *isr* wants another; raises `Violation` if it is unfair.

        What is asked for again was fair when it was asked for first.
        """
        place = change.node_id, change.key
        before, self._asked[place] = self._asked.get(place), change
        if change == before:
            return
        for node_id in set(isr) - set(change.new_isr):
            record = self._records.get((*place, node_id))
            if record is None or record.life[0] != change.leader_epoch:
                continue
            since_ms = self._cluster.clock.now_ms() - record.full_ms
            if since_ms <= self._lag_max_ms:
                raise Violation(
                    f"node {node_id} is to be dropped by node {change.node_id}, leader of "
                    f"{change.key}, but had all {since_ms:.0f} ms ago"
                )
