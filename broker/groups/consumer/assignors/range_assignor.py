"""Assigns each member a range of the partitions of each topic (Kafka's ``RangeAssignor``).

Topics with the same partition count and subscribers have the same ranges, so partitions of two
topics with the same index are assigned to the same member and can be joined. Static members come
first, by instance id, so that the replacement of a member does not change the ranges.
"""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from broker.common.java_strings import java_order
from broker.groups.consumer.assignors.spec import Assignment, GroupSpec


def assign(spec: GroupSpec) -> Assignment:
    """Return the target assignment of each member."""
    ranges = {
        topic_id: _Ranges(spec.partition_counts[topic_id], readers)
        for topic_id, readers in _readers(spec).items()
    }
    assignment: dict[str, dict[UUID, frozenset[int]]] = {}
    for member_id in sorted(spec.members, key=lambda each: _rank(spec, each)):
        parts = {topic_id: ranges[topic_id].take() for topic_id in spec.members[member_id].topics}
        assignment[member_id] = {
            topic_id: partitions for topic_id, partitions in parts.items() if partitions
        }
    return assignment


def _readers(spec: GroupSpec) -> Counter[UUID]:
    """The number of members that subscribe to each topic."""
    readers: Counter[UUID] = Counter()
    for member in spec.members.values():
        readers.update(member.topics)
    return readers


def _rank(spec: GroupSpec, member_id: str) -> tuple[bool, bytes]:
    instance_id = spec.members[member_id].instance_id
    name = member_id if instance_id is None else instance_id
    return instance_id is None, java_order(name)


class _Ranges:
    """The partitions of a topic, taken in ranges from the first to the last."""

    def __init__(self, partition_count: int, reader_count: int) -> None:
        self._quota, self._extras = divmod(partition_count, reader_count)
        self._next = 0

    def take(self) -> frozenset[int]:
        """Return the next range; the first ranges contain one partition of the remainder each."""
        start, size = self._next, self._quota
        if self._extras > 0:
            self._extras -= 1
            size += 1
        self._next += size
        return frozenset(range(start, self._next))
