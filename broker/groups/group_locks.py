"""Mutual exclusion of long work on the same group."""

from __future__ import annotations

from broker.steps.queue import Signal, Slices


class GroupLocks:
    """The groups that long work has locked."""

    def __init__(self) -> None:
        self._busy: dict[str, Signal] = {}

    def acquire(self, group_id: str) -> Slices[None]:
        """Wait until the group is not locked, and lock it; `release` must follow."""
        while (ended := self._busy.get(group_id)) is not None:
            yield ended
        self._busy[group_id] = Signal()

    def release(self, group_id: str) -> None:
        """Unlock the group."""
        self._busy.pop(group_id).set()
