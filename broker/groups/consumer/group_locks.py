"""One long piece of work of a group at a time; others wait for their turn."""

from __future__ import annotations

from broker.steps.queue import Signal, Slices


class GroupLocks:
    """Which groups have long work under way."""

    def __init__(self) -> None:
        self._busy: dict[str, Signal] = {}

    def acquire(self, group_id: str) -> Slices[None]:
        """Wait until no other work of the group is under way, and begin; `give_up` must follow."""
        while (ended := self._busy.get(group_id)) is not None:
            yield ended
        self._busy[group_id] = Signal()

    def release(self, group_id: str) -> None:
        """End the work: the next one may begin."""
        self._busy.pop(group_id).set()
