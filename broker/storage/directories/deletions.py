"""Deletes files after ``file.delete.delay.ms``, or earlier on demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from broker.common.topic_partition import TopicPartition
from broker.storage.log.local_log import ScheduleOnce, without_delay
from purgatories.timer.timer_task import TimerTask

Delete = Callable[[], None]


class Deletions:
    """The deletions of files of partitions that are due later.

    ``schedule_once`` schedules them; its owner may replace it.
    """

    def __init__(self) -> None:
        self.schedule_once: ScheduleOnce = without_delay
        # In the order in which they were added; with the task that runs them.
        self._pending: dict[_Deletion, TimerTask | None] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def add(self, key: TopicPartition, delay_ms: int, delete: Delete) -> None:
        """Call *delete*, which deletes files of the partition *key*, after ``delay_ms``."""
        deletion = _Deletion(key, delete)
        self._pending[deletion] = None
        task = self.schedule_once(delay_ms, partial(self._run, deletion))
        if deletion in self._pending:
            self._pending[deletion] = task

    def run_now(self, selects: Callable[[TopicPartition], bool]) -> None:
        """Run the pending deletions of the partitions that *selects* returns true for."""
        for deletion, task in list(self._pending.items()):
            if selects(deletion.key):
                if task is not None:
                    task.cancel()
                self._run(deletion)

    def _run(self, deletion: _Deletion) -> None:
        self._pending.pop(deletion, None)
        deletion.delete()


class _Deletion:
    """A deletion; it is compared by identity."""

    __slots__ = ("delete", "key")

    def __init__(self, key: TopicPartition, delete: Delete) -> None:
        self.key = key
        self.delete = delete
