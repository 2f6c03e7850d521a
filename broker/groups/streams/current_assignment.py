"""Reconciles a member with its target, one step at a time (``streams.CurrentAssignmentBuilder``).

    STABLE ------------> UNREVOKED_TASKS      the member has to revoke tasks, and stays in its
      ^    new target           |             epoch until it has
      |                         v revoked
      +<--------------- UNRELEASED_TASKS      the member has the epoch of the target, but others
        all tasks free        ^ |             own some of its tasks, or its process still runs them
                              +-+

A member has revoked a task when its heartbeat lists owned tasks without that task.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from enum import IntEnum

from broker.common.errors import ApiError
from broker.groups.streams.tasks import EMPTY_WITH_EPOCHS, TaskIds, Tasks, TasksWithEpochs
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

# Returns the process that owns an active task, by subtopology and partition; None without owner.
ProcessOf = Callable[[str, int], str | None]
# Returns the processes that own a standby or warm-up task.
ProcessesOf = Callable[[str, int], Collection[str]]
# Returns whether a task cannot be assigned yet.
_IsUnreleased = Callable[[str, int], bool]


class MemberState(IntEnum):
    """The progress of a member's reconciliation; the values are those of the records."""

    STABLE = 1
    UNREVOKED_TASKS = 2  # it has to revoke tasks
    UNRELEASED_TASKS = 3  # tasks of its target are not free yet
    UNKNOWN = 127  # a value that a newer coordinator has written

    @classmethod
    def _missing_(cls, value: object) -> MemberState:  # noqa: ARG003 - any value
        return cls.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentAssignment:
    """The epochs of a member and its tasks; it is immutable."""

    state: MemberState = MemberState.STABLE
    member_epoch: int = 0
    previous_member_epoch: int = 0
    assigned: TasksWithEpochs = EMPTY_WITH_EPOCHS
    pending_revocation: TasksWithEpochs = EMPTY_WITH_EPOCHS

    def at_epoch(self, epoch: int) -> CurrentAssignment:
        """The same tasks in *epoch*; the previous epoch becomes the present one, even if equal."""
        return replace(self, member_epoch=epoch, previous_member_epoch=self.member_epoch)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentAssignmentBuilder:
    """The target of a member of the process *process_id*, and the owners of all tasks.

    ``owned`` are the tasks that the heartbeat lists; None if it lists none of the three roles.
    """

    process_id: str
    target_epoch: int
    target: Tasks
    owned: Tasks | None
    active_process_of: ProcessOf
    standby_processes_of: ProcessesOf
    warmup_processes_of: ProcessesOf

    def build(self, current: CurrentAssignment) -> CurrentAssignment:
        """Return *current* after this step; the same object if it is unchanged.

        Raises `ApiError` FENCED_MEMBER_EPOCH if a member of an unknown state may own tasks.
        """
        match current.state:
            case MemberState.STABLE:
                if current.member_epoch == self.target_epoch:
                    return current
                return self._compute_next_assignment(current, current.member_epoch)
            case MemberState.UNREVOKED_TASKS:
                if self._still_owns(current.pending_revocation):
                    return current
                return self._compute_next_assignment(current, current.member_epoch + 1)
            case MemberState.UNRELEASED_TASKS:
                return self._compute_next_assignment(current, current.member_epoch)
        if self.owned is None or not self.owned.is_empty:
            raise ApiError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                "The streams group member is in a unknown state. "
                "The member must abandon all its tasks and rejoin.",
            )
        return self._compute_next_assignment(current, self.target_epoch)

    def _compute_next_assignment(
        self, current: CurrentAssignment, member_epoch: int
    ) -> CurrentAssignment:
        before, target = current.assigned, self.target
        active = _difference(before.active, target.active, self._is_active_unreleased)
        standby = _difference(before.standby, target.standby, self._runs_in_process)
        warmup = _difference(before.warmup, target.warmup, self._runs_in_process)
        kept = _with_epochs(before, active.kept, standby.kept, warmup.kept)
        revoked = _with_epochs(before, active.revoked, standby.revoked, warmup.revoked)
        if not revoked.is_empty and self._still_owns(revoked):
            return replace(
                current.at_epoch(member_epoch),
                state=MemberState.UNREVOKED_TASKS,
                assigned=kept,
                pending_revocation=revoked,
            )
        added = TasksWithEpochs(
            active={
                subtopology_id: dict.fromkeys(partitions, self.target_epoch)
                for subtopology_id, partitions in active.free.items()
            },
            standby=standby.free,
            warmup=warmup.free,
        )
        is_complete = active.is_complete and standby.is_complete and warmup.is_complete
        return replace(
            current.at_epoch(self.target_epoch),
            state=MemberState.STABLE if is_complete else MemberState.UNRELEASED_TASKS,
            assigned=kept.merge(added),
            pending_revocation=EMPTY_WITH_EPOCHS,
        )

    def _still_owns(self, tasks: TasksWithEpochs) -> bool:
        """Whether the member may own tasks that it has to revoke."""
        return self.owned is None or self.owned.contains_any(tasks)

    def _is_active_unreleased(self, subtopology_id: str, partition: int) -> bool:
        """Whether any member owns the active task, or this process runs it in another role."""
        return (
            self.active_process_of(subtopology_id, partition) is not None
            or self.process_id in self.standby_processes_of(subtopology_id, partition)
            or self.process_id in self.warmup_processes_of(subtopology_id, partition)
        )

    def _runs_in_process(self, subtopology_id: str, partition: int) -> bool:
        """Whether a member of this process owns the task in any role."""
        return (
            self.active_process_of(subtopology_id, partition) == self.process_id
            or self.process_id in self.standby_processes_of(subtopology_id, partition)
            or self.process_id in self.warmup_processes_of(subtopology_id, partition)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Difference:
    """The tasks of one role: kept, to revoke, and free ones of the target."""

    kept: TaskIds
    revoked: TaskIds
    free: TaskIds
    is_complete: bool  # no task of the target is missing


def _difference(
    assigned: Mapping[str, Collection[int]], target: TaskIds, is_unreleased: _IsUnreleased
) -> _Difference:
    kept: dict[str, tuple[int, ...]] = {}
    revoked: dict[str, tuple[int, ...]] = {}
    free: dict[str, tuple[int, ...]] = {}
    is_complete = True
    for subtopology_id in {**assigned, **target}:
        before = set(assigned.get(subtopology_id, ()))
        wanted = set(target.get(subtopology_id, ()))
        missing = wanted - before
        released = {each for each in missing if not is_unreleased(subtopology_id, each)}
        is_complete &= len(released) == len(missing)
        for tasks, partitions in (
            (kept, before & wanted),
            (revoked, before - wanted),
            (free, released),
        ):
            if partitions:
                tasks[subtopology_id] = tuple(sorted(partitions))
    return _Difference(kept=kept, revoked=revoked, free=free, is_complete=is_complete)


def _with_epochs(
    before: TasksWithEpochs, active: TaskIds, standby: TaskIds, warmup: TaskIds
) -> TasksWithEpochs:
    """Some tasks of *before*, with their epochs."""
    epochs = {
        subtopology_id: {each: before.active[subtopology_id][each] for each in partitions}
        for subtopology_id, partitions in active.items()
    }
    return TasksWithEpochs(active=epochs, standby=standby, warmup=warmup)
