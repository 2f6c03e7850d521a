"""Each topic's partitions in equal ranges, in the order of the members (Kafka's ``RangeAssignor``).

Topics with equally many partitions and the same readers are cut at the same places, so whoever
joins them finds both halves in one member. Static members come first, by instance, so that a
member that is replaced by another changes nothing.
"""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from broker.groups.consumer.assignors.spec import Assignment, GroupSpec


def assign(spec: GroupSpec) -> Assignment:
    """What each member shall have."""
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
    """How many members subscribe to each topic."""
    readers: Counter[UUID] = Counter()
    for member in spec.members.values():
        readers.update(member.topics)
    return readers


def _rank(spec: GroupSpec, member_id: str) -> tuple[bool, bytes]:
    instance_id = spec.members[member_id].instance_id
    name = member_id if instance_id is None else instance_id
    # Java compares strings by their UTF-16 units.
    return instance_id is None, name.encode("utf-16-be", "surrogatepass")


class _Ranges:
    """A topic's partitions, handed out from the first to the last."""

    def __init__(self, partition_count: int, reader_count: int) -> None:
        self._quota, self._extras = divmod(partition_count, reader_count)
        self._next = 0

    def take(self) -> frozenset[int]:
        """The next member's range; the first ones take what does not come out even."""
        start, size = self._next, self._quota
        if self._extras > 0:
            self._extras -= 1
            size += 1
        self._next += size
        return frozenset(range(start, self._next))
