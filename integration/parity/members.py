"""Members of a group, each on a connection of its own."""

from __future__ import annotations

from typing import Any

from integration.parity.client import Pending
from integration.parity.group_requests import heartbeat, join, sync
from integration.parity.scenario import Kafka


class Member:
    """A member that keeps the id and the generation it received."""

    def __init__(self, kafka: Kafka, group: str, *, node: int = 1, **how: Any) -> None:
        self.group = group
        self.id = ""
        self.generation = -1
        self.others: list[str] = []
        self._how = how
        self._kafka = kafka
        self._node = node
        self.client = kafka.connect(node)

    def join(self, **how: Any) -> Pending:
        """Start to join; a new member first requests its id."""
        if not self.id:
            requested = self.client.request(join(self.group, **self._how | how))
            self.id = requested.member_id
        return self.client.start(join(self.group, self.id, **self._how | how))

    def joined(self, pending: Pending) -> Any:
        """Wait for the response to a join, and keep its id and generation."""
        response = pending.response()
        self.generation = response.generation_id
        self.others = [each.member_id for each in response.members]
        return response

    def sync(self) -> Pending:
        """Start a SyncGroup; a leader sends the assignments."""
        assignments = dict.fromkeys(self.others, b"assigned")
        return self.client.start(sync(self.group, self.id, self.generation, assignments))

    def heartbeat(self, generation: int | None = None) -> str:
        """Return the state of the group, by a heartbeat on a connection of its own."""
        requested = heartbeat(self.group, self.id, generation or self.generation)
        return self._kafka.formatter.line(self._kafka.request(requested, node=self._node))


def stable(kafka: Kafka, group: str, count: int = 1, **how: Any) -> list[Member]:
    """A group whose *count* members have assignments; the first one leads."""
    members = [Member(kafka, group, **how) for _ in range(count)]
    joins = [member.join() for member in members]
    for member, pending in zip(members, joins, strict=True):
        member.joined(pending)
    members.sort(key=lambda member: not member.others)
    syncs = [member.sync() for member in members]
    for pending in syncs:
        pending.response()
    return members
