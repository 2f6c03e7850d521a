"""Random members of streams groups are reconciled with their targets as in Kafka."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.current_assignment import (
    CurrentAssignment,
    CurrentAssignmentBuilder,
    MemberState,
)
from broker.groups.streams.tasks import Tasks, TasksWithEpochs
from integration.kafka.java_program import java_lines
from integration.machine.seeds import FRESH, seed_of_run

pytestmark = pytest.mark.jvm

JAVA = Path(__file__).parent / "java" / "StreamsReconciliation.java"
MEMBERS = 10_000
SEED = seed_of_run(FRESH)
# Active, standby and warm-up tasks: epochs by subtopology and partition.
Roles = list[dict[str, dict[int, int]]]


def test_members_are_reconciled_as_in_kafka(tmp_path: Path) -> None:
    """States, epochs, assigned tasks and tasks to revoke are equal, and so are refusals."""
    print(f"ANTECHAMBER_SEED={SEED}")
    cases = [_case(Random(SEED + number)) for number in range(MEMBERS)]
    lines = [json.dumps(each) for each in cases]

    kafka = java_lines(JAVA, "StreamsReconciliation", tmp_path, lines)

    assert len(kafka) == len(cases)
    for line, case, theirs in zip(lines, cases, kafka, strict=True):
        assert json.loads(theirs) == json.loads(json.dumps(_reconciled(case))), line


def _case(rng: Random) -> dict[str, Any]:
    density = rng.choice([0.1, 0.3, 0.6])
    assigned = _roles(rng, density)
    pending = _roles(rng, rng.choice([0, 0.2]))
    nothing: Roles = [{}, {}, {}]
    owned = rng.choice([None, assigned, nothing, _roles(rng, 0.2)])
    if owned is not None and rng.random() < 0.1:
        owned = [{**owned[0], "9": {}}, *owned[1:]]
    return {
        "process": "p0",
        "state": rng.choice([1, 1, 2, 2, 3, 3, 4, 127]),
        "epochs": [rng.randrange(1, 5), rng.randrange(1, 5)],
        "assigned": assigned,
        "pending": pending,
        "target_epoch": rng.randrange(1, 5),
        "target": assigned if rng.random() < 0.2 else _roles(rng, density),
        "owned": owned,
        "owners": [_owners(rng, 1), _owners(rng, 3), _owners(rng, 3)],
    }


def _roles(rng: Random, density: float) -> Roles:
    return [
        {
            name: partitions
            for name in ("0", "1", "2")
            if (partitions := {n: rng.randrange(1, 5) for n in range(4) if rng.random() < density})
        }
        for _ in range(3)
    ]


def _owners(rng: Random, most: int) -> dict[str, list[str]]:
    density = rng.choice([0, 0.1, 0.4])
    return {
        f"{name}-{partition}": rng.sample(["p0", "p1", "p2"], rng.randrange(1, most + 1))
        for name in ("0", "1", "2")
        for partition in range(4)
        if rng.random() < density
    }


def _reconciled(case: dict[str, Any]) -> object:
    """Our result, in the form in which the Java program prints Kafka's."""
    active, standby, warmup = case["owners"]
    builder = CurrentAssignmentBuilder(
        process_id=case["process"],
        target_epoch=case["target_epoch"],
        target=_tasks(case["target"]),
        owned=None if case["owned"] is None else _tasks(case["owned"]),
        active_process_of=lambda name, each: next(iter(active.get(f"{name}-{each}", ())), None),
        standby_processes_of=lambda name, each: standby.get(f"{name}-{each}", ()),
        warmup_processes_of=lambda name, each: warmup.get(f"{name}-{each}", ()),
    )
    member_epoch, previous_member_epoch = case["epochs"]
    current = CurrentAssignment(
        state=MemberState(case["state"]),
        member_epoch=member_epoch,
        previous_member_epoch=previous_member_epoch,
        assigned=_with_epochs(case["assigned"]),
        pending_revocation=_with_epochs(case["pending"]),
    )
    try:
        after = builder.build(current)
    except ApiError as error:
        return error.message
    return [
        after.state,
        after.member_epoch,
        after.previous_member_epoch,
        _shown(after.assigned),
        _shown(after.pending_revocation),
    ]


def _tasks(roles: Roles) -> Tasks:
    active, standby, warmup = (
        {name: tuple(partitions) for name, partitions in role.items()} for role in roles
    )
    return Tasks(active=active, standby=standby, warmup=warmup)


def _with_epochs(roles: Roles) -> TasksWithEpochs:
    tasks = _tasks(roles)
    return TasksWithEpochs(active=roles[0], standby=tasks.standby, warmup=tasks.warmup)


def _shown(tasks: TasksWithEpochs) -> object:
    return [tasks.active, tasks.standby, tasks.warmup]
