"""Which processes have which tasks of a streams group.

A member gets an active task when no process has it, and a standby task when its own process has
none of the same partition. A process may have several members.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from broker.groups.streams.tasks import TasksWithEpochs

# Process ids by partition and subtopology.
_Sets = dict[str, dict[int, frozenset[str]]]

_NOBODY: frozenset[str] = frozenset()


class TaskOwners:
    """The process ids of the owners; a copy shares the tables that are not changed."""

    def __init__(self) -> None:
        self._active: dict[str, dict[int, str]] = {}
        self._standby: _Sets = {}
        self._warmup: _Sets = {}

    def copy(self) -> TaskOwners:
        """A copy that can be changed without this one."""
        other = TaskOwners()
        other._active = self._active.copy()
        other._standby = self._standby.copy()
        other._warmup = self._warmup.copy()
        return other

    def active(self, subtopology_id: str, partition: int) -> str | None:
        """The process that has the active task; None if none has it."""
        return self._active.get(subtopology_id, {}).get(partition)

    def standby(self, subtopology_id: str, partition: int) -> frozenset[str]:
        """The processes that have a standby task."""
        return self._standby.get(subtopology_id, {}).get(partition, _NOBODY)

    def warmup(self, subtopology_id: str, partition: int) -> frozenset[str]:
        """The processes that have a warm-up task."""
        return self._warmup.get(subtopology_id, {}).get(partition, _NOBODY)

    def add(self, tasks: TasksWithEpochs, process_id: str) -> None:
        """Add the tasks of a process; it becomes the only owner of an active task."""
        for subtopology_id, partitions in tasks.active.items():
            self._active[subtopology_id] = {
                **self._active.get(subtopology_id, {}),
                **dict.fromkeys(partitions, process_id),
            }
        _add(self._standby, tasks.standby, process_id)
        _add(self._warmup, tasks.warmup, process_id)

    def remove(self, tasks: TasksWithEpochs, process_id: str) -> None:
        """Remove the tasks of a process; active tasks that another process owns now remain."""
        for subtopology_id, partitions in tasks.active.items():
            self._active[subtopology_id] = {
                partition: owner
                for partition, owner in self._active.get(subtopology_id, {}).items()
                if partition not in partitions or owner != process_id
            }
        _remove(self._standby, tasks.standby, process_id)
        _remove(self._warmup, tasks.warmup, process_id)


def _add(table: _Sets, tasks: Mapping[str, Iterable[int]], process_id: str) -> None:
    for subtopology_id, partitions in tasks.items():
        owners = table[subtopology_id] = table.get(subtopology_id, {}).copy()
        for partition in partitions:
            owners[partition] = owners.get(partition, _NOBODY) | {process_id}


def _remove(table: _Sets, tasks: Mapping[str, Iterable[int]], process_id: str) -> None:
    for subtopology_id, partitions in tasks.items():
        owners = table[subtopology_id] = table.get(subtopology_id, {}).copy()
        for partition in partitions:
            owners[partition] = owners.get(partition, _NOBODY) - {process_id}
