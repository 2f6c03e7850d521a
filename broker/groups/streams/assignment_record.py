"""The target and the current assignment of a member as their records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from broker.groups.records.streams import (
    CurrentTasks,
    StreamsGroupCurrentMemberAssignmentValue,
    StreamsGroupTargetAssignmentMemberValue,
    TargetTasks,
)
from broker.groups.streams.current_assignment import CurrentAssignment, MemberState
from broker.groups.streams.tasks import Tasks, TasksWithEpochs

Written = TypeVar("Written")


def target_value(target: Tasks) -> StreamsGroupTargetAssignmentMemberValue:
    """The value of the record of a target assignment."""
    return StreamsGroupTargetAssignmentMemberValue(
        active_tasks=_written(target.active, TargetTasks),
        standby_tasks=_written(target.standby, TargetTasks),
        warmup_tasks=_written(target.warmup, TargetTasks),
    )


def read_target(value: StreamsGroupTargetAssignmentMemberValue) -> Tasks:
    """The target assignment of a record."""
    return Tasks(
        active=_read(value.active_tasks),
        standby=_read(value.standby_tasks),
        warmup=_read(value.warmup_tasks),
    )


def current_value(current: CurrentAssignment) -> StreamsGroupCurrentMemberAssignmentValue:
    """The value of the record of a current assignment."""
    assigned, pending = current.assigned, current.pending_revocation
    return StreamsGroupCurrentMemberAssignmentValue(
        member_epoch=current.member_epoch,
        previous_member_epoch=current.previous_member_epoch,
        state=current.state,
        active_tasks=_written_active(assigned.active),
        standby_tasks=_written(assigned.standby, CurrentTasks),
        warmup_tasks=_written(assigned.warmup, CurrentTasks),
        active_tasks_pending_revocation=_written_active(pending.active),
        standby_tasks_pending_revocation=_written(pending.standby, CurrentTasks),
        warmup_tasks_pending_revocation=_written(pending.warmup, CurrentTasks),
    )


def read_current(value: StreamsGroupCurrentMemberAssignmentValue) -> CurrentAssignment:
    """The current assignment of a record."""
    epoch = value.member_epoch
    return CurrentAssignment(
        state=MemberState(value.state),
        member_epoch=epoch,
        previous_member_epoch=value.previous_member_epoch,
        assigned=TasksWithEpochs(
            active=_read_active(value.active_tasks, epoch),
            standby=_read(value.standby_tasks),
            warmup=_read(value.warmup_tasks),
        ),
        pending_revocation=TasksWithEpochs(
            active=_read_active(value.active_tasks_pending_revocation, epoch),
            standby=_read(value.standby_tasks_pending_revocation),
            warmup=_read(value.warmup_tasks_pending_revocation),
        ),
    )


def _written(tasks: Mapping[str, Iterable[int]], record: Callable[..., Written]) -> list[Written]:
    return [
        record(subtopology_id=subtopology_id, partitions=sorted(tasks[subtopology_id]))
        for subtopology_id in sorted(tasks)
    ]


def _written_active(tasks: Mapping[str, Mapping[int, int]]) -> list[CurrentTasks]:
    written = []
    for subtopology_id in sorted(tasks):
        epochs = tasks[subtopology_id]
        partitions = sorted(epochs)
        written.append(
            CurrentTasks(
                subtopology_id=subtopology_id,
                partitions=partitions,
                assignment_epochs=[epochs[partition] for partition in partitions],
            )
        )
    return written


def _read(tasks: Iterable[TargetTasks | CurrentTasks]) -> dict[str, tuple[int, ...]]:
    return {each.subtopology_id: tuple(sorted(each.partitions)) for each in tasks}


def _read_active(tasks: Iterable[CurrentTasks], member_epoch: int) -> dict[str, dict[int, int]]:
    """The epochs in which the partitions were assigned; that of the member if they are unknown."""
    read = {}
    for each in tasks:
        epochs = each.assignment_epochs or ()
        if len(epochs) != len(each.partitions):
            epochs = [member_epoch] * len(each.partitions)
        read[each.subtopology_id] = dict(zip(each.partitions, epochs, strict=True))
    return read
