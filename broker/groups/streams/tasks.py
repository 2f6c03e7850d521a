"""Active, standby and warm-up tasks (Kafka's ``TasksTuple`` and ``TasksTupleWithEpochs``).

A task is a subtopology and a partition of its input. An active task of a member has the epoch in
which it was assigned, so that a commit of its former owner is refused (KIP-1251).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field

from protocol.lazy_dataclass import dataclass

# The tasks of subtopologies, as sorted partitions.
TaskIds = Mapping[str, tuple[int, ...]]
# The assignment epochs of tasks, by subtopology and partition.
TaskEpochs = Mapping[str, Mapping[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TasksWithEpochs:
    """The tasks that are assigned to a member, or that it has to revoke."""

    active: TaskEpochs = field(default_factory=dict)
    standby: TaskIds = field(default_factory=dict)
    warmup: TaskIds = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether no subtopology is listed."""
        return not (self.active or self.standby or self.warmup)

    def merge(self, other: TasksWithEpochs) -> TasksWithEpochs:
        """The tasks of both; a task that both have has the epoch of *other*."""
        return TasksWithEpochs(
            active={
                each: {**self.active.get(each, {}), **other.active.get(each, {})}
                for each in {**self.active, **other.active}
            },
            standby=_union(self.standby, other.standby),
            warmup=_union(self.warmup, other.warmup),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """Target tasks of a member, or those that it owns by its heartbeat."""

    active: TaskIds = field(default_factory=dict)
    standby: TaskIds = field(default_factory=dict)
    warmup: TaskIds = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether no subtopology is listed, not even one without partitions."""
        return not (self.active or self.standby or self.warmup)

    def contains_any(self, other: TasksWithEpochs) -> bool:
        """Whether a task is in both, with the same role."""
        return (
            _have_common(self.active, other.active)
            or _have_common(self.standby, other.standby)
            or _have_common(self.warmup, other.warmup)
        )


EMPTY = Tasks()
EMPTY_WITH_EPOCHS = TasksWithEpochs()


def _union(tasks: TaskIds, others: TaskIds) -> TaskIds:
    return {
        each: tuple(sorted({*tasks.get(each, ()), *others.get(each, ())}))
        for each in {**tasks, **others}
    }


def _have_common(tasks: TaskIds, others: Mapping[str, Collection[int]]) -> bool:
    return any(
        partition in others.get(subtopology_id, ())
        for subtopology_id, partitions in tasks.items()
        for partition in partitions
    )
