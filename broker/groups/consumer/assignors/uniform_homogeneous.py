"""Uniform assignment where everybody subscribes to the same topics.

Each member has a quota; who has more gives up what is above it, and what is free fills up the
others. Members and topics are gone through in the order in which Kafka's hash tables hold them
(``UniformHomogeneousAssignmentBuilder``), so the same member gets the same partition there.
"""

from __future__ import annotations

from uuid import UUID

from broker.common.java_hash import in_hash_order, uuid_hash
from broker.groups.consumer.assignors.spec import Assignment, GroupSpec
from broker.groups.consumer.member import Partitions

_Parts = dict[UUID, set[int]]
# Partitions of topics, in the order in which they are handed out.
_Runs = list[tuple[UUID, list[int]]]


def assign(spec: GroupSpec) -> Assignment:
    """What each member shall have."""
    topics = next(iter(spec.members.values())).topics
    quota, extras = divmod(
        sum(spec.partition_counts[topic_id] for topic_id in topics), len(spec.members)
    )
    assignment: dict[str, _Parts] = {}
    room: list[tuple[_Parts, int]] = []
    unassigned = _unassigned(spec, topics)
    members_left = len(spec.members)
    for member_id, member in spec.members.items():
        # What does not come out even is for those who have it already, and for the last ones.
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
    """The partitions that nobody has."""
    taken: _Parts = {topic_id: set() for topic_id in topics}
    for member in spec.members.values():
        for topic_id in member.assigned.keys() & topics:
            taken[topic_id].update(member.assigned[topic_id])
    return [
        (topic_id, sorted(set(range(spec.partition_counts[topic_id])) - taken[topic_id]))
        for topic_id in in_hash_order(sorted(topics), uuid_hash)
    ]


def _keep(assigned: Partitions, topics: frozenset[UUID], quota: int) -> tuple[_Parts, _Runs]:
    """What a member keeps of its own, and what it gives up because it has more than its quota."""
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
    """Let everybody have as many more as there are places, in order."""
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
