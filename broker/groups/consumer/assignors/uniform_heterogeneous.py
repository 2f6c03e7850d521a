"""Uniform assignment if members subscribe to different topics.

Members keep the partitions that they still subscribe to. Each free partition is assigned to the
least loaded subscriber of its topic. Then partitions move from the most to the least loaded
subscribers, topic by topic, until no move improves the balance. Rounds and order are those of
Kafka's ``UniformHeterogeneousAssignmentBuilder``. With overlapping subscriptions the result is
almost balanced, but not always optimal.
"""

from __future__ import annotations

from uuid import UUID

from broker.groups.consumer.assignors.member_assignment_balancer import MemberAssignmentBalancer
from broker.groups.consumer.assignors.spec import Assignment, GroupSpec

_ROUNDS_MAX = 16
_NO_OWNER = -1


def assign(spec: GroupSpec) -> Assignment:
    """Return the target assignment of each member."""
    builder = _Builder(spec)
    builder.assign_free_partitions()
    builder.balance()
    return builder.assignment()


class _Builder:
    """The owners of partitions and the loads of members during the computation."""

    def __init__(self, spec: GroupSpec) -> None:
        self._spec = spec
        self._loads = [0] * len(spec.members)
        self._subscribers: dict[UUID, list[int]] = {}
        for number, member in enumerate(spec.members.values()):
            for topic_id in member.topics:
                self._subscribers.setdefault(topic_id, []).append(number)
        self._owners = {
            topic_id: [_NO_OWNER] * spec.partition_counts[topic_id]
            for topic_id in self._subscribers
        }
        for number, member in enumerate(spec.members.values()):
            for topic_id in member.topics & member.assigned.keys():
                for partition in member.assigned[topic_id]:
                    if partition < len(self._owners[topic_id]):
                        self._assign(topic_id, partition, number)

    def assignment(self) -> Assignment:
        """Return the result."""
        assignment: dict[str, dict[UUID, set[int]]] = {name: {} for name in self._spec.members}
        names = list(assignment)
        for topic_id, owners in self._owners.items():
            for partition, owner in enumerate(owners):
                assignment[names[owner]].setdefault(topic_id, set()).add(partition)
        return {
            name: {topic_id: frozenset(parts) for topic_id, parts in topics.items()}
            for name, topics in assignment.items()
        }

    def assign_free_partitions(self) -> None:
        """Assign each partition without an owner to the least loaded subscriber of its topic."""
        for topic_id in self._in_order():
            free = [p for p, owner in enumerate(self._owners[topic_id]) if owner == _NO_OWNER]
            if free:
                balancer = MemberAssignmentBalancer(self._subscribers[topic_id], self._loads)
                for partition in free:
                    self._assign(topic_id, partition, balancer.next_least_loaded())

    def balance(self) -> None:
        """Balance all topics until a round has moved no partition, or `_ROUNDS_MAX` times."""
        topics = [topic_id for topic_id in self._in_order() if len(self._subscribers[topic_id]) > 1]
        last_moved = None
        for _ in range(_ROUNDS_MAX):
            for topic_id in topics:
                if topic_id == last_moved:
                    return
                if self._balance_topic(topic_id) or last_moved is None:
                    last_moved = topic_id

    def _balance_topic(self, topic_id: UUID) -> bool:
        """Move partitions between the subscribers of a topic; returns whether any was moved."""
        balancer = MemberAssignmentBalancer(self._subscribers[topic_id], self._loads)
        if balancer.imbalance <= 1:
            return False
        owners = self._owners[topic_id]
        held: dict[int, list[int]] = {}
        for partition, owner in enumerate(owners):
            held.setdefault(owner, []).append(partition)
        moved = False
        while True:
            giver = balancer.next_most_loaded()
            while giver is not None and not held.get(giver):
                balancer.exclude_most_loaded()
                giver = balancer.next_most_loaded()
            if giver is None:
                return moved
            taker = balancer.next_least_loaded()
            if balancer.is_balanced:
                return moved
            self._assign(topic_id, held[giver].pop(), taker)
            moved = True

    def _assign(self, topic_id: UUID, partition: int, number: int) -> None:
        before = self._owners[topic_id][partition]
        if before != _NO_OWNER:
            self._loads[before] -= 1
        self._owners[topic_id][partition] = number
        self._loads[number] += 1

    def _in_order(self) -> list[UUID]:
        """Topics with most partitions per subscriber first, then those with fewer subscribers."""

        def rank(topic_id: UUID) -> tuple[float, int, int, int]:
            readers = len(self._subscribers[topic_id])
            share = self._spec.partition_counts[topic_id] / readers
            high, low = topic_id.int >> 64, topic_id.int & 0xFFFF_FFFF_FFFF_FFFF
            return -share, readers, _as_java_long(high), _as_java_long(low)

        return sorted(self._subscribers, key=rank)


def _as_java_long(value: int) -> int:
    """``Uuid.compareTo`` compares the halves as signed numbers."""
    return value - (1 << 64) if value >> 63 else value
