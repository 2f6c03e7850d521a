"""Waiting for the state of a group, and for the assignment of its partitions."""

from __future__ import annotations

from broker.admin.conditions.condition import Finding
from broker.admin.facts.facts import LIMIT_MAX, Facts
from broker.admin.facts.json_object import JsonObject
from broker.admin.parameters import read_required
from broker.admin.query import Query
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class GroupStable:
    """No rebalance of the group is in progress, and it has at least ``count`` members."""

    group: str
    count: int

    def check(self, facts: Facts) -> Finding:
        """Check the state and the number of members."""
        found = facts.groups(self.group, 1)
        if not found:
            return {}, [f"there is no group {self.group}"]
        [group] = found
        return {"group": group}, self._missing(group)

    def alternatives(self, facts: Facts) -> list[str]:
        """All groups."""
        return [f"group {each['group']} is {each['state']}" for each in facts.groups()]

    def _missing(self, group: JsonObject) -> list[str]:
        members = len(group["members"])
        if group["state"] == "Stable" and members >= self.count:
            return []
        return [f"group {self.group} is {group['state']} with {members} of {self.count} members"]


@dataclass(frozen=True, slots=True)
class Assigned:
    """The group is stable, and each of its members has at least ``partitions`` partitions.

    With a ``topic`` only its partitions count, and each of them is assigned to a member.
    """

    stable: GroupStable
    partitions: int
    topic: str | None

    def check(self, facts: Facts) -> Finding:
        """Check the state, then the assignment of each member."""
        finding, missing = self.stable.check(facts)
        if missing:
            return finding, missing
        group = finding["group"]
        lines = [self._lack(each) for each in group["members"]]
        return finding, [*filter(None, lines), *self._unassigned(group, facts)]

    def alternatives(self, facts: Facts) -> list[str]:
        """All groups."""
        return self.stable.alternatives(facts)

    def _lack(self, member: JsonObject) -> str:
        assignment = member["assignment"]
        count = sum(len(assignment[name]) for name in assignment if self.topic in (None, name))
        if count >= self.partitions:
            return ""
        of_topic = "" if self.topic is None else f" of {self.topic}"
        has = f"{count} of {self.partitions} partitions{of_topic}"
        return f"group {self.stable.group}: member {member['member']} has {has}"

    def _unassigned(self, group: JsonObject, facts: Facts) -> list[str]:
        if self.topic is None:
            return []
        known = facts.topic(self.topic)
        if known is None:
            return [f"there is no topic {self.topic}"]
        assigned = {
            partition
            for member in group["members"]
            for partition in member["assignment"].get(self.topic, ())
        }
        return [
            f"group {self.stable.group}: {self.topic}-{each['partition']} is assigned to no member"
            for each in known["partitions"]
            if each["partition"] not in assigned
        ]


def read_group_stable(query: Query) -> GroupStable:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "group", "count", "timeout_ms")
    return GroupStable(_group(query), query.whole("count", 1, LIMIT_MAX) or 1)


def read_assigned(query: Query) -> Assigned:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "group", "members", "partitions", "topic", "timeout_ms")
    stable = GroupStable(_group(query), query.whole("members", 1, LIMIT_MAX) or 1)
    partitions = query.whole("partitions", 0, LIMIT_MAX)
    return Assigned(stable, 1 if partitions is None else partitions, query.text("topic"))


def _group(query: Query) -> str:
    return read_required(query, "group", "give the group to wait for")
