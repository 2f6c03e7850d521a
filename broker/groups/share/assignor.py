"""Assigns the partitions of a share group (Kafka's ``SimpleAssignor``).

A partition can have several members. Each partition of a topic gets about the same number of the
topic's subscribers, and each member about the same number of partitions. A member keeps partitions
that it had, as far as that allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from uuid import UUID

from broker.groups.share.member import Partitions

# A partition of a topic.
TopicIdPartition = tuple[UUID, int]


def assign(
    subscriptions: Mapping[str, frozenset[UUID]],
    partitions: Mapping[UUID, Sequence[int]],
    before: Mapping[str, Partitions],
) -> dict[str, Partitions]:
    """The partitions of each member.

    *subscriptions* are the topics of each member, *partitions* those of each topic that may be
    assigned, *before* the assignment before.
    """
    assigned: dict[str, set[TopicIdPartition]] = {member: set() for member in subscriptions}
    for members, topics in _groups(subscriptions).items():
        targets = [(topic, each) for topic in topics for each in partitions.get(topic, ())]
        if targets:
            _share(members, targets, before, assigned)
    return {member: _by_topic(each) for member, each in assigned.items()}


def _groups(
    subscriptions: Mapping[str, frozenset[UUID]],
) -> dict[tuple[str, ...], list[UUID]]:
    """The topics that the same members subscribe to, by these members."""
    groups: dict[tuple[str, ...], list[UUID]] = {}
    for topic in sorted({topic for topics in subscriptions.values() for topic in topics}):
        members = tuple(member for member, topics in subscriptions.items() if topic in topics)
        groups.setdefault(members, []).append(topic)
    return groups


def _share(
    members: Sequence[str],
    targets: Sequence[TopicIdPartition],
    before: Mapping[str, Partitions],
    assigned: dict[str, set[TopicIdPartition]],
) -> None:
    """Share *targets* between *members*, all of which subscribe to their topics."""
    sharing = -(-len(members) // len(targets))
    quotas = _quotas(len(members), len(targets), sharing)
    sharers = dict.fromkeys(targets, 0)
    room = {}
    for member, quota in zip(members, quotas, strict=True):
        room[member] = quota
        for topic, indexes in before.get(member, {}).items():
            for index in indexes:
                target = (topic, index)
                if room[member] and sharers.get(target, sharing) < sharing:
                    assigned[member].add(target)
                    sharers[target] += 1
                    room[member] -= 1
    by_sharers = [(count, target) for target, count in sharers.items()]
    heapify(by_sharers)
    for member in members:
        passed_over = []
        while room[member]:
            count, target = heappop(by_sharers)
            if target in assigned[member]:
                passed_over.append((count, target))
                continue
            assigned[member].add(target)
            room[member] -= 1
            passed_over.append((count + 1, target))
        for each in passed_over:
            heappush(by_sharers, each)


def _quotas(members: int, targets: int, sharing: int) -> list[int]:
    """How many of the partitions each member gets."""
    total = sharing * targets
    ends = [-(-total * (index + 1) // members) for index in range(members)]
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


def _by_topic(assigned: set[TopicIdPartition]) -> Partitions:
    topics: dict[UUID, list[int]] = {}
    for topic, partition in sorted(assigned):
        topics.setdefault(topic, []).append(partition)
    return {topic: tuple(each) for topic, each in topics.items()}
