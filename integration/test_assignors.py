"""Assignments of random groups by Kafka's assignors and by ours are equal.

A group has several successive assignments, each the start of the next, so that the stickiness is
compared as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from uuid import UUID

import pytest

from broker.common.java_hash import in_hash_order, string_hash
from broker.groups.consumer.assignors import ASSIGNORS
from broker.groups.consumer.assignors.spec import Assignment, GroupSpec, MemberSpec
from integration.kafka.java_program import java_lines
from integration.machine.seeds import FRESH, seed_of_run

pytestmark = pytest.mark.jvm

JAVA = Path(__file__).parent / "java" / "Assignments.java"
GROUPS = 400
SEED = seed_of_run(FRESH)
CHANGES = 8


@pytest.mark.parametrize("assignor", ASSIGNORS)
@pytest.mark.parametrize("is_homogeneous", [True, False], ids=["homogeneous", "heterogeneous"])
def test_assignments_equal_kafkas(assignor: str, is_homogeneous: bool, tmp_path: Path) -> None:
    """They are equal by member and partition."""
    print(f"ANTECHAMBER_SEED={SEED}")
    lines, ours = [], []
    for number in range(GROUPS):
        for spec in _history(Random(SEED + number), assignor, is_homogeneous):
            lines.append(_line(assignor, spec))
            ours.append(_shown(ASSIGNORS[assignor](spec)))

    kafka = java_lines(JAVA, "Assignments", tmp_path, lines)

    assert len(kafka) == len(ours)
    for line, mine, theirs in zip(lines, ours, kafka, strict=True):
        assert mine == theirs, line


def _history(rng: Random, assignor: str, is_homogeneous: bool) -> Iterator[GroupSpec]:
    counts = {
        UUID(int=rng.getrandbits(128)): rng.randrange(1, 9) for _ in range(rng.randrange(1, 6))
    }
    topics = frozenset(counts)
    members: dict[str, MemberSpec] = {}
    for _ in range(CHANGES):
        for name in [name for name in members if rng.random() < 0.2]:
            del members[name]
        for _ in range(rng.randrange(4) if members else rng.randrange(1, 20)):
            wanted = topics if is_homogeneous else _some(rng, topics)
            instance = f"i{rng.randrange(1000)}" if rng.random() < 0.3 else None
            name = f"m-{rng.getrandbits(32):x}"
            members[name] = MemberSpec(instance_id=instance, topics=wanted, assigned={})
        if rng.random() < 0.3:
            topic = rng.choice(list(counts))
            counts[topic] += rng.randrange(3)
        if not members:
            continue
        if is_homogeneous and rng.random() < 0.2:
            topics = _some(rng, topics)
        if is_homogeneous:
            members = {name: _wanting(each, topics) for name, each in members.items()}
        ordered = {name: members[name] for name in in_hash_order(list(members), string_hash)}
        spec = GroupSpec(
            members=ordered, partition_counts=dict(counts), is_homogeneous=is_homogeneous
        )
        yield spec
        assignment = ASSIGNORS[assignor](spec)
        members = {
            name: MemberSpec(
                instance_id=each.instance_id, topics=each.topics, assigned=assignment[name]
            )
            for name, each in members.items()
        }


def _some(rng: Random, topics: frozenset[UUID]) -> frozenset[UUID]:
    return frozenset(rng.sample(sorted(topics), rng.randrange(1, len(topics) + 1)))


def _wanting(member: MemberSpec, topics: frozenset[UUID]) -> MemberSpec:
    return MemberSpec(instance_id=member.instance_id, topics=topics, assigned=member.assigned)


def _line(assignor: str, spec: GroupSpec) -> str:
    kind = "HOMOGENEOUS" if spec.is_homogeneous else "HETEROGENEOUS"
    topics = ",".join(f"{each.hex}:{count}" for each, count in spec.partition_counts.items())
    words = [assignor, kind, topics]
    for name, member in spec.members.items():
        assigned = ",".join(
            f"{topic.hex}={'.'.join(map(str, sorted(partitions)))}"
            for topic, partitions in member.assigned.items()
        )
        wanted = ",".join(topic.hex for topic in sorted(member.topics))
        words.append(f"{name};{member.instance_id or '-'};{wanted or '-'};{assigned or '-'}")
    return " ".join(words)


def _shown(assignment: Assignment) -> str:
    words = []
    for name in sorted(assignment):
        topics = {topic.hex: sorted(parts) for topic, parts in assignment[name].items() if parts}
        if topics:
            parts = ", ".join(f"{topic}={topics[topic]}" for topic in sorted(topics))
            words.append(f"{name}{{{parts}}}")
    return " ".join(words)
