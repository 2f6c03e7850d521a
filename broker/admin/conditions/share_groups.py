"""Waiting for the records of a share group: acquired by its members, or complete."""

from __future__ import annotations

from broker.admin.conditions.condition import Finding
from broker.admin.facts.facts import LIMIT_MAX, Facts, ShareQuery
from broker.admin.facts.json_object import JsonObject
from broker.admin.parameters import LONG_MAX, read_partition, read_required
from broker.admin.query import Query
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ShareAcquired:
    """The members of the group hold at least ``count`` records, in all partitions together."""

    wanted: ShareQuery
    count: int

    def check(self, facts: Facts) -> Finding:
        """Add up the acquired records of the partitions."""
        found = facts.share_partitions(self.wanted)
        if not found:
            return {}, [_nothing(self.wanted)]
        acquired = sum(each["acquired"] for each in found)
        group = self.wanted.group
        lines = [f"{acquired} of {self.count} records are acquired by members of group {group}"]
        return {"share_partitions": found}, lines if acquired < self.count else []

    def alternatives(self, facts: Facts) -> list[str]:
        """The progress of the partitions, or all share partitions if there is none."""
        found = facts.share_partitions(self.wanted)
        return [f"{_name(each)}: {_progress(each)}" for each in found] or _others(facts)


@dataclass(frozen=True, slots=True)
class ShareLag:
    """In each partition at most ``lag`` records are neither acknowledged nor archived."""

    wanted: ShareQuery
    lag: int

    def check(self, facts: Facts) -> Finding:
        """Compare the lag of each partition."""
        found = facts.share_partitions(self.wanted)
        if not found:
            return {}, [_nothing(self.wanted)]
        lines = [self._lack(each) for each in found]
        return {"share_partitions": found}, [line for line in lines if line]

    def alternatives(self, facts: Facts) -> list[str]:
        """All share partitions, if the group has none."""
        return [] if facts.share_partitions(self.wanted) else _others(facts)

    def _lack(self, each: JsonObject) -> str:
        if each["lag"] is None:
            return f"the lag of {each['group']} in {_name(each)} is not known"
        if each["lag"] <= self.lag:
            return ""
        return f"lag of {each['group']} in {_name(each)} is {each['lag']}: {_progress(each)}"


def read_share_acquired(query: Query) -> ShareAcquired:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "group", "topic", "partition", "count", "timeout_ms")
    return ShareAcquired(_wanted(query), query.whole("count", 1, LIMIT_MAX) or 1)


def read_share_lag(query: Query) -> ShareLag:
    """The condition that the parameters describe; without ``lag`` it is 0. Raises `HttpError`."""
    query.allow("for", "group", "topic", "partition", "lag", "timeout_ms")
    return ShareLag(_wanted(query), query.whole("lag", 0, LONG_MAX) or 0)


def _wanted(query: Query) -> ShareQuery:
    group = read_required(query, "group", "give the group to wait for")
    topic, partition = read_partition(query)
    return ShareQuery(group, topic, partition, LIMIT_MAX, batches=0)


def _nothing(wanted: ShareQuery) -> str:
    where = "" if wanted.topic is None else f" in {wanted.topic}"
    if wanted.partition is not None:
        where += f"-{wanted.partition}"
    return f"group {wanted.group} has no share partition{where}"


def _name(each: JsonObject) -> str:
    return f"{each['topic']}-{each['partition']}"


def _progress(each: JsonObject) -> str:
    if each["start_offset"] is None:
        return f"{each['state']}, without a start offset"
    counts = f"{each['acquired']} acquired, {each['available']} available"
    return f"start offset {each['start_offset']}, high watermark {each['high_watermark']}, {counts}"


def _others(facts: Facts) -> list[str]:
    found = facts.share_partitions(ShareQuery(limit=LIMIT_MAX, batches=0))
    return [f"{_name(each)} of group {each['group']}" for each in found]
