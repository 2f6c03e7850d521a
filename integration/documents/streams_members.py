"""Two members of a streams group, each with two tasks."""

from __future__ import annotations

from functools import partial
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.streams_requests import (
    streams_heartbeat,
    streams_join,
    subtopology,
    topology,
)
from integration.transactions.nodes import GROUP, Nodes
from protocol.errors import ErrorCode

WITHIN_S = 60.0
_VERSION = 0


class StreamsMembers:
    """The members *ids* of a group, whose tasks are the partitions of the topics *sources*."""

    def __init__(
        self, bootstrap: str, group: str, ids: tuple[str, str], sources: tuple[str, str]
    ) -> None:
        self._nodes = Nodes(bootstrap)
        self._group = group
        self._ids = ids
        names = (subtopology(f"{number}", source) for number, source in enumerate(sources))
        self._topology = topology(*names)
        self._last: dict[str, Any] = {}
        self._tasks: dict[str, Any] = dict.fromkeys(ids, ())
        for member in ids:
            eventually(partial(self._joins, member), "the join", within=WITHIN_S)
        eventually(self._are_stable, "two tasks of each member", within=WITHIN_S)

    def close(self) -> None:
        """The members leave, unless the broker has removed them."""
        for member in self._ids:
            self._send(streams_heartbeat(self._group, member, -1))
        self._nodes.close()

    def _joins(self, member: str) -> bool:
        return self._keep(member, streams_join(self._group, member, self._topology))

    def _are_stable(self) -> bool:
        """Send a heartbeat of each member with its tasks."""
        for member in self._ids:
            tasks = {"active_tasks": self._tasks[member], "standby_tasks": [], "warmup_tasks": []}
            epoch = self._last[member].member_epoch
            assert self._keep(member, streams_heartbeat(self._group, member, epoch, **tasks))
        counts = [sum(len(each.partitions) for each in self._tasks[member]) for member in self._ids]
        return counts == [2, 2]

    def _keep(self, member: str, request: Any) -> bool:
        response = self._send(request)
        if response is None or response.error_code != ErrorCode.NONE:
            return False
        self._last[member] = response
        if response.active_tasks is not None:
            self._tasks[member] = response.active_tasks
        return True

    def _send(self, request: Any) -> Any | None:
        coordinator = self._nodes.coordinator(GROUP, self._group)
        return None if coordinator is None else self._nodes.send(coordinator, request, _VERSION)
