"""Uniform assignment if all members subscribe to the same topics.

Each member has a quota. A member with more partitions loses those above it; free partitions are
assigned to the members below it. Members and topics are processed in the iteration order of Kafka's
hash tables (``UniformHomogeneousAssignmentBuilder``), so each member gets the same partitions.
"""

from __future__ import annotations

from uuid import UUID

from broker.common.java_hash import in_hash_order, uuid_hash
from broker.groups.consumer.assignors.spec import Assignment, GroupSpec
from broker.groups.consumer.member import Partitions

_Parts = dict[UUID, set[int]]
# Partitions of topics, in the order in which they are assigned.
_Runs = list[tuple[UUID, list[int]]]


def assign(spec: GroupSpec) -> Assignment:
    """Return the target assignment of each member."""
    topics = next(iter(spec.members.values())).topics
    quota, extras = divmod(
        sum(spec.partition_counts[topic_id] for topic_id in topics), len(spec.members)
    )
    assignment: dict[str, _Parts] = {}
    room: list[tuple[_Parts, int]] = []
    unassigned = _unassigned(spec, topics)
    members_left = len(spec.members)
    for member_id, member in spec.members.items():
        # The remainder goes to the members that own such a partition, and to the last members.
        own_quota = quota + (extras > 0)
        kept, given_up = _keep(member.assigned, topics, own_quota)
        places = own_quota - sum(map(len, kept.values()))
        if extras > 0:
            if places and members_left > extras:
                places -= 1
            else:
                extras -= 1
        members_left -= 1
        assignment[member_id] = kept
        unassigned += given_up
        room.append((kept, places))
    _fill(room, unassigned)
    return {
        member_id: {topic_id: frozenset(parts) for topic_id, parts in kept.items()}
        for member_id, kept in assignment.items()
    }


def _unassigned(spec: GroupSpec, topics: frozenset[UUID]) -> _Runs:
    """The partitions without an owner."""
    taken: _Parts = {topic_id: set() for topic_id in topics}
    for member in spec.members.values():
        for topic_id in member.assigned.keys() & topics:
            taken[topic_id].update(member.assigned[topic_id])
    return [
        (topic_id, sorted(set(range(spec.partition_counts[topic_id])) - taken[topic_id]))
        for topic_id in in_hash_order(sorted(topics), uuid_hash)
    ]


def _keep(assigned: Partitions, topics: frozenset[UUID], quota: int) -> tuple[_Parts, _Runs]:
    """The partitions that a member keeps, and those above its quota, which it loses."""
    kept: _Parts = {}
    given_up: _Runs = []
    for topic_id in in_hash_order(assigned, uuid_hash):
        if topic_id not in topics:
            continue
        partitions = sorted(assigned[topic_id])
        stay, go = partitions[:quota], partitions[quota:]
        quota -= len(stay)
        given_up.append((topic_id, go))
        if stay:
            kept[topic_id] = set(stay)
    return kept, given_up


def _fill(room: list[tuple[_Parts, int]], unassigned: _Runs) -> None:
    """Assign free partitions to the members with free places, in order."""
    runs = iter(unassigned)
    topic_and_partitions, at = next(runs, None), 0
    for kept, places in room:
        left = places
        while left and topic_and_partitions is not None:
            topic_id, partitions = topic_and_partitions
            taken = partitions[at : at + left]
            if taken:
                kept.setdefault(topic_id, set()).update(taken)
            left -= len(taken)
            at += len(taken)
            if at == len(partitions):
                topic_and_partitions, at = next(runs, None), 0
