"""The tasks of a process during the computation of an assignment (Kafka's ``ProcessState``)."""

from __future__ import annotations

from collections import defaultdict

from broker.common.java_hash import in_hash_order, string_hash
from broker.common.java_priority_queue import JavaPriorityQueue
from broker.groups.streams.assignors.spec import TaskId


class ProcessState:
    """A process: its members, each a thread of the application, and their tasks."""

    def __init__(self) -> None:
        self.task_counts: dict[str, int] = {}
        self.active: defaultdict[str, list[TaskId]] = defaultdict(list)
        self.standby: defaultdict[str, list[TaskId]] = defaultdict(list)
        self._tasks: set[TaskId] = set()
        self._task_count = 0
        self._members_by_load: JavaPriorityQueue[str] | None = None

    @property
    def load(self) -> float:
        """The number of tasks for each member."""
        return self._task_count / len(self.task_counts)

    def add_member(self, member_id: str) -> None:
        """Add a member without tasks."""
        self.task_counts[member_id] = 0

    def has_task(self, task: TaskId) -> bool:
        """Whether a member has the task, as active or standby task."""
        return task in self._tasks

    def add_task(self, member_id: str, task: TaskId, *, is_active: bool) -> int:
        """Assign a task to a member; returns the member's new number of tasks."""
        # The queue cannot move a member: it is made again.
        self._members_by_load = None
        return self._add(member_id, task, is_active=is_active)

    def add_task_to_least_loaded_member(self, task: TaskId, *, is_active: bool) -> int:
        """Assign a task to the member with the fewest; returns its new number of tasks."""
        if len(self.task_counts) == 1:
            [member_id] = self.task_counts
            return self._add(member_id, task, is_active=is_active)
        if self._members_by_load is None:
            self._members_by_load = self._by_load()
        member_id = self._members_by_load.poll()
        count = self._add(member_id, task, is_active=is_active)
        self._members_by_load.add(count, member_id)
        return count

    def _by_load(self) -> JavaPriorityQueue[str]:
        members: JavaPriorityQueue[str] = JavaPriorityQueue()
        for member_id in in_hash_order(list(self.task_counts), string_hash):
            members.add(self.task_counts[member_id], member_id)
        return members

    def _add(self, member_id: str, task: TaskId, *, is_active: bool) -> int:
        (self.active if is_active else self.standby)[member_id].append(task)
        self._tasks.add(task)
        self._task_count += 1
        self.task_counts[member_id] += 1
        return self.task_counts[member_id]
