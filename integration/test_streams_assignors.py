"""Assignments of random streams groups by Kafka's task assignor and by ours are equal.

A group has several successive assignments, each the start of the next, so that the stickiness is
compared as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from broker.common.java_hash import in_hash_order, string_hash
from broker.groups.streams.assignors import ASSIGNORS
from broker.groups.streams.assignors.spec import GroupSpec, MemberSpec
from broker.groups.streams.tasks import EMPTY, Tasks
from broker.groups.streams.topics.configured import ConfiguredInternalTopic, ConfiguredSubtopology
from integration.kafka.java_program import java_lines
from integration.machine.seeds import FRESH, seed_of_run

pytestmark = pytest.mark.jvm

JAVA = Path(__file__).parent / "java" / "StreamsAssignments.java"
GROUPS = 500
SEED = seed_of_run(FRESH)
CHANGES = 8


def test_assignments_equal_kafkas(tmp_path: Path) -> None:
    """They are equal by member, role and task."""
    print(f"ANTECHAMBER_SEED={SEED}")
    specs = [spec for number in range(GROUPS) for spec in _history(Random(SEED + number))]
    lines = [json.dumps(_shown(spec)) for spec in specs]

    kafka = java_lines(JAVA, "StreamsAssignments", tmp_path, lines)

    assert len(kafka) == len(specs)
    for line, spec, theirs in zip(lines, specs, kafka, strict=True):
        ours = {name: _roles(tasks) for name, tasks in ASSIGNORS["sticky"](spec).items()}
        assert json.loads(theirs) == ours, line


def _history(rng: Random) -> Iterator[GroupSpec]:
    subtopologies = {f"{number}": _subtopology(rng) for number in range(rng.randrange(1, 5))}
    replicas = rng.randrange(4)
    processes = [f"{rng.getrandbits(64):x}" for _ in range(rng.randrange(1, 25))]
    members: dict[str, MemberSpec] = {}
    for _ in range(CHANGES):
        for name in [name for name in members if rng.random() < 0.2]:
            del members[name]
        for _ in range(rng.randrange(4) if members else rng.randrange(1, 30)):
            name = f"m-{rng.getrandbits(32):x}"
            members[name] = MemberSpec(process_id=rng.choice(processes), target=EMPTY)
        if rng.random() < 0.2:
            subtopologies = {**subtopologies, f"{rng.randrange(6)}": _subtopology(rng)}
            subtopologies = {name: subtopologies[name] for name in sorted(subtopologies)}
        if rng.random() < 0.2:
            replicas = rng.randrange(4)
        if not members:
            continue
        members = {name: members[name] for name in in_hash_order(list(members), string_hash)}
        spec = GroupSpec(
            members=members, subtopologies=subtopologies, num_standby_replicas=replicas
        )
        yield spec
        assignment = ASSIGNORS["sticky"](spec)
        members = {
            name: MemberSpec(
                process_id=each.process_id,
                # A target may also be one that no assignor computes: of a member that was replaced.
                target=assignment[rng.choice(list(members)) if rng.random() < 0.1 else name],
            )
            for name, each in members.items()
        }


def _subtopology(rng: Random) -> ConfiguredSubtopology:
    changelog = ConfiguredInternalTopic(
        name="changelog", partitions=1, replication_factor=None, configs=()
    )
    return ConfiguredSubtopology(
        number_of_tasks=rng.randrange(1, 13),
        source_topics=("source",),
        repartition_source_topics={},
        repartition_sink_topics=(),
        state_changelog_topics={"changelog": changelog} if rng.random() < 0.7 else {},
    )


def _shown(spec: GroupSpec) -> dict[str, object]:
    return {
        "replicas": spec.num_standby_replicas,
        "subtopologies": {
            name: {"tasks": each.number_of_tasks, "stateful": each.is_stateful}
            for name, each in spec.subtopologies.items()
        },
        "members": [
            {
                "id": name,
                "process": each.process_id,
                "active": each.target.active,
                "standby": each.target.standby,
            }
            for name, each in spec.members.items()
        ],
    }


def _roles(tasks: Tasks) -> list[dict[str, list[int]]]:
    return [
        {name: list(partitions) for name, partitions in role.items()}
        for role in (tasks.active, tasks.standby, tasks.warmup)
    ]
