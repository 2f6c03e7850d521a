"""The rules that hold at every time of a run, under all faults.

log start <= last stable <= high watermark <= log end          on every replica
a leader's high watermark never decreases in its epoch, and does not move after it
records below a high watermark are the same on every replica, unless one has deleted them
in-sync and eligible replicas have all committed records
no replica truncates records below its high watermark
"""

from __future__ import annotations

from collections.abc import Iterator

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import Broker, PartitionRegistration
from broker.node import Node
from broker.replication.leader_state import LeaderState
from broker.replication.partition import Partition
from broker.storage.log.unified_log import UnifiedLog
from protocol.record_batch.header import read_header
from tests.simulation.committed import Committed, batches_of
from tests.simulation.stable_offsets import StableOffsets, check_transactions
from tests.simulation.violation import Violation

TOPIC = "t"

Epoch = tuple[int, TopicPartition, int]  # node, partition, leader epoch
# Replicas, and the state of their node that the leader has: another object after each change of it.
LiveReplicas = dict[Partition, Broker]


class Rules:
    """Checks all running replicas, and records what is committed."""

    def __init__(self, cluster: Cluster, keys: list[TopicPartition]) -> None:
        self._cluster = cluster
        self.keys = keys
        self.committed = {key: Committed() for key in self.keys}
        # The times and values of each leader's high watermark.
        self.moves: dict[Epoch, list[tuple[float, int]]] = {}
        # How far each log has been compared; a node has new log objects after a restart.
        self._compared: dict[UnifiedLog, int] = {}
        # The ISR sizes of each leader and their times; 0 if it does not lead.
        self._sizes: dict[tuple[int, TopicPartition], list[tuple[float, int]]] = {}
        self._losses_ms: dict[int, float] = {}
        self.broken: Violation | None = None
        self._starts = dict.fromkeys(self.keys, 0)
        self._stable = StableOffsets()

    def check(self) -> None:
        """Check the rules that cost little."""
        if self.broken is not None:
            raise self.broken
        for node, partition in self._replicas():
            self._offsets_in_order(node, partition)
        self.record_isr_sizes()

    def check_all(self) -> None:
        """Check all rules."""
        self.check()
        for node, partition in self._replicas():
            self._compare(node, partition, partition.log.high_watermark)
        for key in self.keys:
            for node, partition in self._replicas_with_all_records(self._registration(key), key):
                self._has_all(node, partition)
                self._compare(node, partition, self.committed[key].end)

    def check_transactions(self) -> None:
        """Check the last stable offset and the index of aborted transactions of each replica."""
        for node, partition in self._replicas():
            known = self.committed[partition.key]
            check_transactions(_name_of(node, partition), partition.log, known)

    def _replicas(self) -> Iterator[tuple[Node, Partition]]:
        """The running replicas of all topics but temporary ones."""
        for node in self._cluster.nodes:
            for partition in node.replicas.partitions.values():
                if partition.key in self.committed:
                    yield node, partition

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
                f"{_name_of(node, partition)}: log start {start}, last stable {stable}, "
                f"high watermark {high}, log end {end} are out of order"
            )
        self._starts[partition.key] = max(self._starts[partition.key], start)
        self._stable.check(_name_of(node, partition), node.id, partition)

    def high_watermark_moved(
        self, node_id: int, key: TopicPartition, epoch: int, log: UnifiedLog
    ) -> None:
        """A leader has moved its high watermark: the records below it are committed.

        It is called for every move, since the leader may crash next.
        """
        if key not in self.committed:
            return
        moves = self.moves.setdefault((node_id, key, epoch), [])
        now, before = log.high_watermark, moves[-1][1] if moves else -1
        if now < before:
            raise Violation(
                f"node {node_id}, leader of {key}: the high watermark decreases from {before} to "
                f"{now} in leader epoch {epoch}"
            )
        moves.append((self._cluster.clock.now_ms(), now))
        self._compare_log(f"node {node_id}, leader of {key}", key, log, now)
        self.check_set(key, self._registration(key))

    def check_is_leader(self, node_id: int, key: TopicPartition, leader_state: LeaderState) -> None:
        """Raise `Violation` if *leader_state* is not the present state of a leader."""
        for node in self._cluster.nodes:
            partition = node.replicas.partitions.get(key)
            if node.id == node_id and (
                partition is None or partition.leader_state is not leader_state
            ):
                raise Violation(
                    f"node {node_id}, no longer leader of {key}, moves the high watermark"
                )

    def _compare(self, node: Node, partition: Partition, end: int) -> None:
        """Check that the replica has the committed records up to *end*; each batch is read once."""
        self._compare_log(_name_of(node, partition), partition.key, partition.log, end)

    def _compare_log(self, who: str, key: TopicPartition, log: UnifiedLog, end: int) -> None:
        compared = self._compared.get(log, 0)
        if log.log_end_offset < compared:
            raise Violation(
                f"{who}: truncated to {log.log_end_offset}, though {compared} is committed"
            )
        # A follower whose log ends at its leader's start keeps records before it that were never
        # committed, since the leader has no earlier epoch to compare. It deletes them when it has
        # the leader's start, but a crash may undo that.
        start = max(compared, log.log_start_offset, self._starts[key])
        if start < end:
            self.committed[key].check(who, log, start, end)
            self._compared[log] = end

    # ---------------------------------------------------------------------------------- the ISR

    def check_set(self, key: TopicPartition, known: PartitionRegistration) -> None:
        """Raise `Violation` if an in-sync or eligible replica lacks committed records."""
        if key not in self.committed:
            return
        for node, partition in self._replicas_with_all_records(known, key):
            self._has_all(node, partition)

    def _replicas_with_all_records(
        self, known: PartitionRegistration, key: TopicPartition
    ) -> Iterator[tuple[Node, Partition]]:
        """The running replicas in the ISR or ELR of the controller."""
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
                f"{_name_of(node, partition)}: ends at {partition.log.log_end_offset}, though it "
                f"is in sync or eligible and all up to {end} is committed"
            )

    # ----------------------------------------------------------------------------- for responses

    def high_watermark_moves(
        self, node_id: int, key: TopicPartition
    ) -> Iterator[tuple[float, int]]:
        """The times and values of the node's high watermark while it led."""
        for (node, partition, _), moves in self.moves.items():
            if node == node_id and partition == key:
                yield from moves

    def record_isr_sizes(self) -> None:
        """Record the present ISR size of each leader, 0 for other and former replicas."""
        present = dict.fromkeys(self._sizes, 0)
        for node, partition in self._replicas():
            known = partition.registration
            size = len(known.isr) if known is not None and partition.is_leader else 0
            present[node.id, partition.key] = size
        for name, size in present.items():
            sizes = self._sizes.setdefault(name, [])
            if not sizes or sizes[-1][1] != size:
                sizes.append((self._cluster.clock.now_ms(), size))

    def isr_sizes(
        self, node_id: int, key: TopicPartition, since_ms: float, until_ms: float
    ) -> set[int]:
        """The ISR sizes of the node between these times; 0 if it did not lead."""
        found = set()
        for at_ms, size in self._sizes.get((node_id, key), []):
            if at_ms <= since_ms:
                found = {size}
            elif at_ms <= until_ms:
                found.add(size)
        return found or {0}

    def live_replicas(self, leader_id: int, key: TopicPartition) -> LiveReplicas:
        """The running replicas of a partition that its leader knows to be alive.

        A follower counts once it has fetched in its present broker epoch: until then the leader has
        the log start of its earlier epoch, from before a crash that may have undone a deletion.
        """
        by_id = {node.id: node for node in self._cluster.nodes if key in node.replicas.partitions}
        leader = by_id.get(leader_id)
        if leader is None:
            return {}
        state = leader.replicas.partitions[key].leader_state
        if state is None:
            return {}
        found = {}
        for node_id in state.registration.replicas:
            broker, follower = leader.replication.alive(node_id), state.replicas.get(node_id)
            if node_id not in by_id or broker is None:
                continue
            if follower is None or follower.broker_epoch == broker.epoch:
                found[by_id[node_id].replicas.partitions[key]] = broker
        return found

    def has_marker(self, key: TopicPartition, producer_id: int, after: int) -> bool:
        """Whether the leader has a marker of a producer after an offset."""
        for node in self._cluster.nodes:
            partition = node.replicas.partitions.get(key)
            if partition is not None and partition.is_leader:
                log = partition.log
                start = max(after, log.log_start_offset)
                for _, _, data in batches_of(log, start, log.log_end_offset):
                    header = read_header(data)
                    if header.is_control and header.producer_id == producer_id:
                        return True
        return False

    def log_start(self, key: TopicPartition) -> int:
        """The offset below which some replica has deleted records."""
        return self._starts[key]

    def copies(self, key: TopicPartition, end: int, since_ms: float) -> int:
        """The number of replicas that have all records up to *end*.

        Replicas that are down count, and those that have lost records since then: they may have had
        them.
        """
        down = sum(member.node is None for member in self._cluster.members.values())
        return down + sum(
            node.replicas.partitions[key].log.log_end_offset >= end
            or self._losses_ms.get(node.id, -1) >= since_ms
            for node in self._cluster.nodes
            if key in node.replicas.partitions
        )

    def record_loss(self, node_id: int) -> None:
        """A stopped node has lost records that it had not flushed."""
        self._losses_ms[node_id] = self._cluster.clock.now_ms()

    def forget(self, node: Node) -> None:
        """The node has crashed: it gets new log objects when it restarts."""
        for other, partition in self._replicas():
            if other is node:
                self._compared.pop(partition.log, None)
                self._sizes[node.id, partition.key].append((self._cluster.clock.now_ms(), 0))


def _name_of(node: Node, partition: Partition) -> str:
    role = "leader" if partition.is_leader else "follower"
    return f"node {node.id}, {role} of {partition.key}"
