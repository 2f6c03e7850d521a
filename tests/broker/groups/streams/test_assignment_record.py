"""Assignments as records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.groups.records.streams import CurrentTasks, TargetTasks
from broker.groups.streams.assignment_record import (
    current_value,
    read_current,
    read_target,
    target_value,
)
from broker.groups.streams.current_assignment import CurrentAssignment, MemberState
from broker.groups.streams.tasks import Tasks, TasksWithEpochs

TARGET = Tasks(active={"b": (2, 1), "a": (0,)}, standby={"a": (1,)}, warmup={"a": (2,)})
CURRENT = CurrentAssignment(
    state=MemberState.UNRELEASED_TASKS,
    member_epoch=5,
    previous_member_epoch=4,
    assigned=TasksWithEpochs(active={"b": {2: 5, 1: 3}, "a": {0: 4}}, standby={"a": (3, 1)}),
    pending_revocation=TasksWithEpochs(
        active={"a": {7: 2}}, standby={"b": (9, 8)}, warmup={"a": (1,)}
    ),
)


def test_a_target_is_sorted() -> None:
    """By the id of the subtopology and the partition."""
    value = target_value(TARGET)

    assert value.active_tasks == [
        TargetTasks(subtopology_id="a", partitions=[0]),
        TargetTasks(subtopology_id="b", partitions=[1, 2]),
    ]
    assert value.standby_tasks == [TargetTasks(subtopology_id="a", partitions=[1])]
    assert value.warmup_tasks == [TargetTasks(subtopology_id="a", partitions=[2])]


def test_a_target_is_read() -> None:
    """The partitions are sorted."""
    sorted_target = replace(TARGET, active={"a": (0,), "b": (1, 2)})

    assert read_target(target_value(TARGET)) == sorted_target


def test_a_current_assignment_is_sorted() -> None:
    """Active tasks have the epochs in which they were assigned, the others have none."""
    value = current_value(CURRENT)

    assert (value.member_epoch, value.previous_member_epoch, value.state) == (5, 4, 3)
    assert value.active_tasks == [
        CurrentTasks(subtopology_id="a", partitions=[0], assignment_epochs=[4]),
        CurrentTasks(subtopology_id="b", partitions=[1, 2], assignment_epochs=[3, 5]),
    ]
    assert value.standby_tasks == [CurrentTasks(subtopology_id="a", partitions=[1, 3])]
    assert value.standby_tasks[0].assignment_epochs is None
    assert value.warmup_tasks == []
    assert value.active_tasks_pending_revocation == [
        CurrentTasks(subtopology_id="a", partitions=[7], assignment_epochs=[2])
    ]
    assert value.standby_tasks_pending_revocation == [
        CurrentTasks(subtopology_id="b", partitions=[8, 9])
    ]
    assert value.warmup_tasks_pending_revocation == [
        CurrentTasks(subtopology_id="a", partitions=[1])
    ]


def test_a_current_assignment_is_read() -> None:
    """It is the one that was written."""
    read = read_current(current_value(CURRENT))

    assert read.assigned.active == CURRENT.assigned.active
    assert read.assigned.standby == {"a": (1, 3)}
    assert read.pending_revocation.active == {"a": {7: 2}}
    assert read.pending_revocation.standby == {"b": (8, 9)}
    assert read.pending_revocation.warmup == {"a": (1,)}
    assert (read.state, read.member_epoch, read.previous_member_epoch) == (
        MemberState.UNRELEASED_TASKS,
        5,
        4,
    )


@pytest.mark.parametrize("epochs", [None, [], [3]])
def test_tasks_without_an_epoch_each_have_that_of_the_member(epochs: list[int] | None) -> None:
    """Records of an older broker have none."""
    value = replace(
        current_value(CURRENT),
        active_tasks=[
            CurrentTasks(subtopology_id="a", partitions=[0, 1], assignment_epochs=epochs)
        ],
    )

    assert read_current(value).assigned.active == {"a": {0: 5, 1: 5}}


def test_an_unknown_state_is_read() -> None:
    """A newer broker has written it."""
    value = replace(current_value(CURRENT), state=99)

    assert read_current(value).state is MemberState.UNKNOWN
