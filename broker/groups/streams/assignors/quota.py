"""How many tasks a member may have before others get more."""

from __future__ import annotations


class Quota:
    """The tasks that are left, divided by the members that have not reached the quota."""

    def __init__(self, tasks: int, members: int) -> None:
        self._tasks = tasks
        self._members = members
        self.per_member = _divided(tasks, members)

    def count(self, member_tasks: int) -> None:
        """Count a member if it has reached the quota with its new number of tasks."""
        if member_tasks == self.per_member:
            self._members -= 1
            self._tasks -= member_tasks
            self.per_member = _divided(self._tasks, self._members)


def _divided(tasks: int, members: int) -> int:
    """The quotient, rounded up; 0 without members."""
    return -(-tasks // members) if members else 0
