"""Tuples of active, standby and warm-up tasks."""

from __future__ import annotations

import pytest

from broker.groups.streams.tasks import EMPTY, EMPTY_WITH_EPOCHS, Tasks, TasksWithEpochs


def test_a_merge_has_the_tasks_of_both() -> None:
    """Partitions of a subtopology are united, and sorted."""
    one = TasksWithEpochs(active={"0": {0: 5}}, standby={"0": (2,), "1": (0,)}, warmup={"0": (3,)})
    other = TasksWithEpochs(active={"0": {1: 6}}, standby={"0": (1,)}, warmup={"1": (3,)})

    assert one.merge(other) == TasksWithEpochs(
        active={"0": {0: 5, 1: 6}},
        standby={"0": (1, 2), "1": (0,)},
        warmup={"0": (3,), "1": (3,)},
    )


def test_a_task_of_both_has_the_epoch_of_the_other() -> None:
    """Mirrors testMerge of the epochs."""
    one, other = (TasksWithEpochs(active={"0": {0: epoch}}) for epoch in (5, 6))

    assert one.merge(other).active == {"0": {0: 6}}


@pytest.mark.parametrize("role", ["active", "standby", "warmup"])
def test_tasks_of_the_same_role_are_common(role: str) -> None:
    """One common partition is enough."""
    owned = {role: {"0": (0, 1)}}
    pending = {role: {"0": {1: 3, 2: 3} if role == "active" else (1, 2)}}

    assert Tasks(**owned).contains_any(TasksWithEpochs(**pending))  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize(
    "pending",
    [
        TasksWithEpochs(active={"0": {2: 3}}),
        TasksWithEpochs(active={"1": {0: 3}}),
        TasksWithEpochs(standby={"0": (0,)}),
        EMPTY_WITH_EPOCHS,
    ],
    ids=["other partition", "other subtopology", "other role", "nothing"],
)
def test_other_tasks_are_not_common(pending: TasksWithEpochs) -> None:
    """Partition, subtopology and role have to be the same."""
    assert not Tasks(active={"0": (0, 1)}).contains_any(pending)


def test_a_subtopology_without_partitions_is_not_empty() -> None:
    """As in Kafka, which looks at the maps only."""
    assert EMPTY.is_empty
    assert not Tasks(standby={"0": ()}).is_empty


@pytest.mark.parametrize(
    "tasks",
    [
        TasksWithEpochs(active={"0": {0: 1}}),
        TasksWithEpochs(standby={"0": (0,)}),
        TasksWithEpochs(warmup={"0": (0,)}),
    ],
    ids=["active", "standby", "warmup"],
)
def test_tasks_of_one_role_are_not_empty(tasks: TasksWithEpochs) -> None:
    """All roles have to be empty."""
    assert not tasks.is_empty
