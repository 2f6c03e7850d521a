"""Waiting for the committed offsets of a group."""

from __future__ import annotations

from broker.admin.conditions.condition import Finding
from broker.admin.conditions.partitions import absent
from broker.admin.facts.facts import Facts
from broker.admin.facts.json_object import JsonObject
from broker.admin.parameters import LONG_MAX, read_partition, read_required
from broker.admin.query import Query
from protocol.lazy_dataclass import dataclass

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Committed:
    """The group has committed at least ``offset``, and its lag is at most ``lag``.

    In one partition, in each partition of a topic, or in each partition for which the group has a
    committed offset or that is assigned to a member. A partition without a committed offset has
    its whole log as lag.
    """

    group: str
    topic: str | None
    partition: int | None
    offset: int | None
    lag: int | None

    def check(self, facts: Facts) -> Finding:
        """Compare the committed offset of each partition."""
        found = facts.groups(self.group, 1)
        if not found:
            return {}, [f"there is no group {self.group}"]
        [group] = found
        committed = {(each["topic"], each["partition"]): each for each in group["offsets"]}
        logs = self._logs(facts, {*committed, *_assigned(group)})
        selected = sorted(logs)
        if not selected:
            return {}, [self._nothing()]
        lines = [self._lack(key, committed.get(key), logs[key]) for key in selected]
        offsets = [committed[key] for key in selected if key in committed]
        return {"offsets": offsets}, [line for line in lines if line]

    def alternatives(self, facts: Facts) -> list[str]:
        """The groups, if there is none of that name."""
        if facts.groups(self.group, 1):
            return []
        return [f"group {each['group']}" for each in facts.groups()]

    def _logs(self, facts: Facts, used: set[Key]) -> dict[Key, JsonObject | None]:
        """The selected partitions; None for those of *used* that do not exist any more."""
        if self.topic is None:
            return {key: next(facts.partitions(*key), None) for key in used}
        found = facts.partitions(self.topic, self.partition)
        return {(each["topic"], each["partition"]): each for each in found}

    def _nothing(self) -> str:
        if self.topic is None:
            return f"group {self.group} has committed no offset"
        return absent(self.topic, self.partition)

    def _lack(self, key: Key, committed: JsonObject | None, log: JsonObject | None) -> str:
        name = f"{key[0]}-{key[1]}"
        end = None if log is None else log["log_end_offset"]
        if end is None:
            return f"{name} has no running leader"
        assert log is not None
        offset = log["log_start_offset"] if committed is None else committed["offset"]
        has = f"committed {'nothing' if committed is None else offset}, log end {end}"
        if self.offset is not None and (committed is None or offset < self.offset):
            return f"group {self.group} in {name}: {has}, needed offset {self.offset}"
        if self.lag is not None and end - offset > self.lag:
            return f"lag of {self.group} in {name} is {end - offset}: {has}"
        return ""


def read_committed(query: Query) -> Committed:
    """The condition that the parameters describe; raises `HttpError`.

    Without ``offset`` and ``lag`` it is a lag of 0.
    """
    query.allow("for", "group", "topic", "partition", "offset", "lag", "timeout_ms")
    group = read_required(query, "group", "give the group to wait for")
    topic, partition = read_partition(query)
    offset, lag = query.whole("offset", 0, LONG_MAX), query.whole("lag", 0, LONG_MAX)
    if offset is None and lag is None:
        lag = 0
    return Committed(group, topic, partition, offset, lag)


def _assigned(group: JsonObject) -> set[Key]:
    return {
        (topic, partition)
        for member in group["members"]
        for topic, partitions in member["assignment"].items()
        for partition in partitions
    }
