"""Assigns tasks to members that had them before, else to the least loaded (``StickyTaskAssignor``).

An active task stays with the member that has it, or moves to one that has it as standby task, as
long as the member has not more than its share. The other active tasks go to the processes with the
fewest tasks for each member. Standby tasks are assigned in the same way; a process has each task
once. The order is Kafka's for all ties, so the same members get the same tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from broker.common.java_hash import in_hash_order, string_hash
from broker.common.java_priority_queue import JavaPriorityQueue
from broker.common.java_strings import java_order
from broker.groups.streams.assignors.process_state import ProcessState
from broker.groups.streams.assignors.quota import Quota
from broker.groups.streams.assignors.spec import Assignment, GroupSpec, TaskId
from broker.groups.streams.tasks import TaskIds, Tasks


def assign(spec: GroupSpec) -> Assignment:
    """Return the target tasks of each member."""
    builder = _Builder(spec)
    builder.assign_active()
    if spec.num_standby_replicas > 0:
        builder.assign_standby()
    return builder.assignment()


class _Member(NamedTuple):
    """A member and its process."""

    member_id: str
    process: ProcessState

    @property
    def task_count(self) -> int:
        return self.process.task_counts[self.member_id]


class _Builder:
    """The former owners of tasks, and the tasks that are assigned so far."""

    def __init__(self, spec: GroupSpec) -> None:
        self._spec = spec
        self._replicas = spec.num_standby_replicas
        self._members = _members(spec)
        active = len(_tasks(spec))
        standby = len(_tasks(spec, is_stateful=True)) * self._replicas
        self._active_quota = Quota(active, len(spec.members))
        self._quota = Quota(active + standby, len(spec.members))
        self._former_active: dict[TaskId, _Member] = {}
        self._former_standby: dict[TaskId, list[_Member]] = {}
        for member_id, member in self._members.items():
            target = spec.members[member_id].target
            self._former_active |= dict.fromkeys(_ids(target.active), member)
            for task in _ids(target.standby):
                self._former_standby.setdefault(task, []).append(member)

    def assignment(self) -> Assignment:
        """Return the result."""
        return {
            member_id: Tasks(
                active=_by_subtopology(process.active[member_id]),
                standby=_by_subtopology(process.standby[member_id]),
            )
            for member_id, process in self._members.values()
        }

    def assign_active(self) -> None:
        """Assign each active task to a former owner, or to the least loaded process."""
        tasks = sorted(_tasks(self._spec), key=_by_partition)
        tasks = [task for task in tasks if not self._keep_active(task)]
        tasks = [task for task in tasks if not self._activate_standby(task)]
        processes = self._processes_by_load()
        for task in sorted(tasks, key=_by_subtopology_first):
            process = processes.poll()
            count = process.add_task_to_least_loaded_member(task, is_active=True)
            self._count_active(count)
            processes.add(process.load, process)

    def assign_standby(self) -> None:
        """Assign the standby tasks of each stateful task to different processes, if possible."""
        left = []
        tasks = _tasks(self._spec, is_stateful=True)
        for task in sorted(tasks, key=_by_partition, reverse=True):
            replicas = self._replicas
            while replicas and self._keep_standby(task):
                replicas -= 1
            left.append((task, replicas))
        processes = self._processes_by_load()
        for task, replicas in sorted(
            left, key=lambda each: _by_subtopology_first(each[0]), reverse=True
        ):
            for _ in range(replicas):
                if not self._add_standby_to_least_loaded(processes, task):
                    break

    def _keep_active(self, task: TaskId) -> bool:
        """Assign an active task to the member that has it; returns whether it was assigned."""
        return self._add_active(self._former_active.get(task), task)

    def _activate_standby(self, task: TaskId) -> bool:
        """Assign an active task to a member that has it as standby task."""
        return self._add_active(_least_loaded(self._former_standby.get(task, ())), task)

    def _add_active(self, member: _Member | None, task: TaskId) -> bool:
        if member is None or member.task_count >= self._active_quota.per_member:
            return False
        self._count_active(member.process.add_task(member.member_id, task, is_active=True))
        return True

    def _count_active(self, member_tasks: int) -> None:
        self._active_quota.count(member_tasks)
        self._quota.count(member_tasks)

    def _keep_standby(self, task: TaskId) -> bool:
        """Assign a standby task to a member that has the task; returns whether it was assigned."""
        active = self._former_active.get(task)
        if active and not active.process.has_task(task) and self._add_standby(active, task):
            return True
        former: Sequence[_Member] = self._former_standby.get(task, ())
        standby = _least_loaded(former, task)
        # As in Kafka, the process of the first former owner decides for all of them.
        if standby is None or former[0].process.has_task(task):
            return False
        return self._add_standby(standby, task)

    def _add_standby(self, member: _Member, task: TaskId) -> bool:
        if member.task_count >= self._quota.per_member:
            return False
        self._quota.count(member.process.add_task(member.member_id, task, is_active=False))
        return True

    def _add_standby_to_least_loaded(
        self, processes: JavaPriorityQueue[ProcessState], task: TaskId
    ) -> bool:
        """Assign a standby task to a process without the task; returns whether there is one."""
        passed_over = []
        is_assigned = False
        while len(processes) and not is_assigned:
            process = processes.poll()
            passed_over.append(process)
            if not process.has_task(task):
                self._quota.count(process.add_task_to_least_loaded_member(task, is_active=False))
                is_assigned = True
        for process in reversed(passed_over):
            processes.add(process.load, process)
        return is_assigned

    def _processes_by_load(self) -> JavaPriorityQueue[ProcessState]:
        process_of = {
            self._spec.members[member_id].process_id: process
            for member_id, process in self._members.values()
        }
        queue: JavaPriorityQueue[ProcessState] = JavaPriorityQueue()
        for process_id in in_hash_order(list(process_of), string_hash, len(self._members)):
            queue.add(process_of[process_id].load, process_of[process_id])
        return queue


def _members(spec: GroupSpec) -> dict[str, _Member]:
    """The members by id; those with the same process id share their process."""
    processes: dict[str, ProcessState] = {}
    members = {}
    for member_id, member in spec.members.items():
        process = processes.setdefault(member.process_id, ProcessState())
        process.add_member(member_id)
        members[member_id] = _Member(member_id, process)
    return members


def _least_loaded(members: Sequence[_Member], task: TaskId | None = None) -> _Member | None:
    """A member with less load than the first one, of the member and of its process.

    Processes with *task* are skipped, except for the first one; None without members.
    """
    best: _Member | None = None
    for member in members:
        if best is None or (
            member.process.load < best.process.load
            and (task is None or not member.process.has_task(task))
            and member.task_count < best.task_count
        ):
            best = member
    return best


def _tasks(spec: GroupSpec, *, is_stateful: bool = False) -> list[TaskId]:
    """All tasks, or those of stateful subtopologies."""
    return [
        TaskId(subtopology_id, partition)
        for subtopology_id, subtopology in spec.subtopologies.items()
        if subtopology.is_stateful or not is_stateful
        for partition in range(subtopology.number_of_tasks)
    ]


def _ids(tasks: TaskIds) -> Iterable[TaskId]:
    for subtopology_id, partitions in tasks.items():
        for partition in partitions:
            yield TaskId(subtopology_id, partition)


def _by_subtopology(tasks: Iterable[TaskId]) -> TaskIds:
    partitions: dict[str, list[int]] = {}
    for task in tasks:
        partitions.setdefault(task.subtopology_id, []).append(task.partition)
    return {each: tuple(sorted(partitions[each])) for each in partitions}


def _by_partition(task: TaskId) -> tuple[int, bytes]:
    return task.partition, java_order(task.subtopology_id)


def _by_subtopology_first(task: TaskId) -> tuple[bytes, int]:
    return java_order(task.subtopology_id), task.partition
