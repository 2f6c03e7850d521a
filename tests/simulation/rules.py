"""What must hold at every moment of a run, whatever has gone wrong.

log start <= last stable <= high watermark <= log end          on every replica
a leader's high watermark does not go back within its epoch, nor move when it leads no longer
what is below a high watermark is the same on every replica
in-sync and eligible replicas have everything that was ever committed
no replica cuts off what was below its high watermark
"""

from __future__ import annotations

from collections.abc import Iterator

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.image import PartitionRegistration
from broker.node import Node
from broker.replication.leader_state import LeaderState
from broker.replication.partition import Partition
from broker.storage.unified_log import UnifiedLog
from tests.simulation.committed import Committed
from tests.simulation.violation import Violation

TOPIC = "t"

Epoch = tuple[int, TopicPartition, int]  # node, partition, leader epoch
Life = tuple[Partition, int]  # a replica, broker epoch


class Rules:
    """Looks at all replicas that are up, and remembers what was promised."""

    def __init__(self, cluster: Cluster, partitions: int) -> None:
        self._cluster = cluster
        self.keys = [TopicPartition(TOPIC, index) for index in range(partitions)]
        self.committed = {key: Committed() for key in self.keys}
        # When each leader's high watermark moved, and where to.
        self.passed: dict[Epoch, list[tuple[float, int]]] = {}
        # How far each log has been compared, by the log itself: a node has another in each life.
        self._compared: dict[UnifiedLog, int] = {}
        # How many each leader has taken for in sync, from when on; 0: it is no leader.
        self._sizes: dict[tuple[int, TopicPartition], list[tuple[float, int]]] = {}
        self._losses_ms: dict[int, float] = {}
        self.broken: Violation | None = None
        self._starts = dict.fromkeys(self.keys, 0)

    def look(self) -> None:
        """Check what costs little."""
        if self.broken is not None:
            raise self.broken
        for node in self._cluster.nodes:
            for partition in node.replicas.partitions.values():
                self._offsets_in_order(node, partition)
        self.note_sizes()

    def look_closely(self) -> None:
        """Check everything."""
        self.look()
        for node in self._cluster.nodes:
            for partition in node.replicas.partitions.values():
                log = partition.log
                self._compare(node, partition, log.high_watermark)
        for key in self.keys:
            for node, partition in self._who_must_have_all(self._registration(key), key):
                self._has_all(node, partition)
                self._compare(node, partition, self.committed[key].end)

    # ------------------------------------------------------------------------------ one replica

    def _offsets_in_order(self, node: Node, partition: Partition) -> None:
        log = partition.log
        start, stable, high, end = (
            log.log_start_offset,
            log.last_stable_offset,
            log.high_watermark,
            log.log_end_offset,
        )
        if not 0 <= start <= stable <= high <= end:
            raise Violation(
                f"{_who(node, partition)}: log start {start}, last stable {stable}, high watermark "
                f"{high}, log end {end} are out of order"
            )
        self._starts[partition.key] = max(self._starts[partition.key], start)

    def high_watermark_moved(
        self, node_id: int, key: TopicPartition, epoch: int, log: UnifiedLog
    ) -> None:
        """A leader has moved its high watermark: what is below it now is a promise.

        Called with every single move, since the next thing to happen may be that the leader dies.
        """
        moves = self.passed.setdefault((node_id, key, epoch), [])
        now, before = log.high_watermark, moves[-1][1] if moves else -1
        if now < before:
            raise Violation(
                f"node {node_id}, leader of {key}: the high watermark goes back from {before} to "
                f"{now} in leader epoch {epoch}"
            )
        moves.append((self._cluster.clock.now_ms(), now))
        self._learn(f"node {node_id}, leader of {key}", key, log, now)
        self.check_set(key, self._registration(key))

    def check_leads(self, node_id: int, key: TopicPartition, leader_state: LeaderState) -> None:
        """Raise `Violation` if that is not what the node leads the partition by now."""
        for node in self._cluster.nodes:
            partition = node.replicas.partitions.get(key)
            if node.id == node_id and (
                partition is None or partition.leader_state is not leader_state
            ):
                raise Violation(
                    f"node {node_id}, no longer leader of {key}, moves the high watermark"
                )

    def _compare(self, node: Node, partition: Partition, end: int) -> None:
        """The replica has what is committed, up to *end*; each batch is read once."""
        self._learn(_who(node, partition), partition.key, partition.log, end)

    def _learn(self, who: str, key: TopicPartition, log: UnifiedLog, end: int) -> None:
        compared = self._compared.get(log, 0)
        if log.log_end_offset < compared:
            raise Violation(
                f"{who}: cut to {log.log_end_offset}, though all up to {compared} was committed"
            )
        start = max(compared, log.log_start_offset)
        if start < end:
            self.committed[key].check(who, log, start, end)
            self._compared[log] = end

    # ---------------------------------------------------------------------------------- the set

    def check_set(self, key: TopicPartition, known: PartitionRegistration) -> None:
        """Raise `Violation` if anybody is in sync or eligible who lacks what was committed."""
        for node, partition in self._who_must_have_all(known, key):
            self._has_all(node, partition)

    def _who_must_have_all(
        self, known: PartitionRegistration, key: TopicPartition
    ) -> Iterator[tuple[Node, Partition]]:
        """The replicas that are up of those that the controller takes for in sync or eligible."""
        for node in self._cluster.nodes:
            if node.id in {*known.isr, *known.elr} & {*known.replicas}:
                partition = node.replicas.partitions.get(key)
                if partition is not None:
                    yield node, partition

    def _registration(self, key: TopicPartition) -> PartitionRegistration:
        topic = self._cluster.controller.topic(key.topic)
        assert topic is not None
        return topic.partitions[key.partition]

    def _has_all(self, node: Node, partition: Partition) -> None:
        end = self.committed[partition.key].end
        if partition.log.log_end_offset < end:
            raise Violation(
                f"{_who(node, partition)}: ends at {partition.log.log_end_offset}, though it is in "
                f"sync or eligible and all up to {end} is committed"
            )

    # ------------------------------------------------------------------------------- for answers

    def times_passed(self, node_id: int, key: TopicPartition) -> Iterator[tuple[float, int]]:
        """When the node's high watermark moved while it led, and where to."""
        for (node, partition, _), moves in self.passed.items():
            if node == node_id and partition == key:
                yield from moves

    def note_sizes(self) -> None:
        """Remember how many each leader takes for in sync now."""
        for node in self._cluster.nodes:
            for partition in node.replicas.partitions.values():
                known = partition.registration
                size = len(known.isr) if known is not None and partition.is_leader else 0
                sizes = self._sizes.setdefault((node.id, partition.key), [])
                if not sizes or sizes[-1][1] != size:
                    sizes.append((self._cluster.clock.now_ms(), size))

    def in_sync_sizes(
        self, node_id: int, key: TopicPartition, since_ms: float, until_ms: float
    ) -> set[int]:
        """How many the node took for in sync at any time in between; 0: it did not lead then."""
        found = set()
        for at_ms, size in self._sizes.get((node_id, key), []):
            if at_ms <= since_ms:
                found = {size}
            elif at_ms <= until_ms:
                found.add(size)
        return found or {0}

    def living(self, leader_id: int, key: TopicPartition) -> set[Life]:
        """The replicas of a partition that are up, and of which its leader knows that."""
        by_id = {node.id: node for node in self._cluster.nodes if key in node.replicas.partitions}
        leader = by_id.get(leader_id)
        known = None if leader is None else leader.replicas.partitions[key].registration
        if leader is None or known is None:
            return set()
        return {
            (by_id[node_id].replicas.partitions[key], broker.epoch)
            for node_id in known.replicas
            if node_id in by_id and (broker := leader.replication.alive(node_id)) is not None
        }

    def log_start(self, key: TopicPartition) -> int:
        """Below this offset some replica has deleted."""
        return self._starts[key]

    def copies(self, key: TopicPartition, end: int, since_ms: float) -> int:
        """How many replicas have all up to *end*.

        Those that are down count, and those that have lost anything since then: they may have had.
        """
        down = sum(member.node is None for member in self._cluster.members.values())
        return down + sum(
            node.replicas.partitions[key].log.log_end_offset >= end
            or self._losses_ms.get(node.id, -1) >= since_ms
            for node in self._cluster.nodes
            if key in node.replicas.partitions
        )

    def has_lost(self, node_id: int) -> None:
        """A node that is down is to come back with less than it had."""
        self._losses_ms[node_id] = self._cluster.clock.now_ms()

    def forget(self, node: Node) -> None:
        """The node has crashed: its logs will be others when it is back."""
        for partition in node.replicas.partitions.values():
            self._compared.pop(partition.log, None)
            self._sizes[node.id, partition.key].append((self._cluster.clock.now_ms(), 0))


def _who(node: Node, partition: Partition) -> str:
    role = "leader" if partition.is_leader else "follower"
    return f"node {node.id}, {role} of {partition.key}"
