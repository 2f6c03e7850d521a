"""Waiting for the state of a group."""

from __future__ import annotations

from dataclasses import dataclass

from broker.admin.conditions.condition import Finding
from broker.admin.facts import LIMIT_MAX, Facts
from broker.admin.parameters import read_required
from broker.admin.query import Query


@dataclass(frozen=True, slots=True)
class GroupStable:
    """No rebalance of the group is in progress."""

    group: str
    count: int

    def check(self, facts: Facts) -> Finding:
        """Check the state and the number of members."""
        for each in facts.groups():
            if each["group"] == self.group:
                if each["state"] == "Stable" and each["members"] >= self.count:
                    return {"group": each}, []
                members = f"{each['members']} of {self.count} members"
                return {}, [f"group {self.group} is {each['state']} with {members}"]
        return {}, [f"there is no group {self.group}"]

    def alternatives(self, facts: Facts) -> list[str]:
        """All groups."""
        return [f"group {each['group']} is {each['state']}" for each in facts.groups()]


def read_group_stable(query: Query) -> GroupStable:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "group", "count", "timeout_ms")
    group = read_required(query, "group", "give the group to wait for")
    return GroupStable(group, query.whole("count", 1, LIMIT_MAX) or 1)
