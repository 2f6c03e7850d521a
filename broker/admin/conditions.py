"""The conditions that a client of the admin interface may wait for.

parked         requests are parked: at least that many of that API, topic and client
hw             the high watermark is the log end, in every partition named
isr            the in-sync set has all replicas, or exactly that many
group_stable   the group is Stable, and has at least that many members
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from broker.admin.facts import LIMIT_MAX, Facts, JsonObject, RequestQuery

_NAMED_MAX = 5  # partitions or requests in one line

# The value of the response, and what is missing: nothing if the condition holds.
Finding = tuple[JsonObject, list[str]]


class Condition(Protocol):
    """A condition of the broker's state."""

    def check(self, facts: Facts) -> Finding:
        """Compare the condition with the present state."""
        ...

    def alternatives(self, facts: Facts, /) -> list[str]:
        """What exists of the kind that was waited for; empty if `check` says it all."""
        ...


@dataclass(frozen=True, slots=True)
class Parked:
    """At least ``query.limit`` requests are parked."""

    query: RequestQuery

    def check(self, facts: Facts) -> Finding:
        """Count the parked requests that match."""
        found, query = facts.requests(self.query), self.query
        if len(found) >= query.limit:
            return {"requests": found}, []
        topic = f" on {query.topic}" if query.topic else ""
        client = f" from client {query.client}" if query.client else ""
        what = f"{query.api or 'requests'}{topic}{client}"
        return {}, [f"{len(found)} of {query.limit} parked {what}"]

    def alternatives(self, facts: Facts) -> list[str]:
        """All parked requests."""
        parked = facts.requests(RequestQuery(parked=True, limit=LIMIT_MAX))
        return [_format_request(each) for each in parked] or ["no parked request"]


@dataclass(frozen=True, slots=True)
class _OfPartitions(ABC):
    """A condition of a partition, of each partition of a topic, or of all partitions."""

    topic: str | None
    partition: int | None

    def check(self, facts: Facts) -> Finding:
        """Check each partition."""
        named = list(self._partitions(facts))
        if self.topic is not None and not named:
            which = self.topic if self.partition is None else f"{self.topic}-{self.partition}"
            return {}, [f"there is no {which}"]
        missing = [self._missing(name, each) for name, each in named]
        return {"partitions": [each for _, each in named]}, [line for line in missing if line]

    def alternatives(self, _facts: Facts) -> list[str]:
        """Nothing: what is missing includes the present state."""
        return []

    def _partitions(self, facts: Facts) -> Iterator[tuple[str, JsonObject]]:
        for topic in facts.cluster()["topics"]:
            for each in topic["partitions"]:
                if self._is_selected(topic["name"], each["partition"]):
                    yield f"{topic['name']}-{each['partition']}", {"topic": topic["name"], **each}

    def _is_selected(self, topic: str, partition: int) -> bool:
        return self.topic in (None, topic) and self.partition in (None, partition)

    @abstractmethod
    def _missing(self, name: str, partition: JsonObject) -> str:
        """What the partition lacks; empty if the condition holds."""


@dataclass(frozen=True, slots=True)
class HighWatermark(_OfPartitions):
    """All records are replicated."""

    def _missing(self, name: str, partition: JsonObject) -> str:
        high_watermark, end = partition["high_watermark"], partition["log_end_offset"]
        if partition["leader"] < 0 or end is None:
            return f"{name} has no running leader"
        if high_watermark == end:
            return ""
        return f"{name} has high watermark {high_watermark} and log end {end}"


@dataclass(frozen=True, slots=True)
class InSync(_OfPartitions):
    """The in-sync set has ``count`` replicas, or all of them if that is None."""

    count: int | None

    def _missing(self, name: str, partition: JsonObject) -> str:
        isr = sorted(partition["isr"])
        replicas = sorted(each["node"] for each in partition["replicas"])
        count = len(replicas) if self.count is None else self.count
        return "" if len(isr) == count else f"{name} has {isr} of {replicas} in sync"


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


def some(lines: list[str]) -> str:
    """The first of *lines*, separated by commas, and the number of the others."""
    more = len(lines) - _NAMED_MAX
    return ", ".join(lines[:_NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


def _format_request(request: JsonObject) -> str:
    partitions = some([f"{each['topic']}-{each['partition']}" for each in request["partitions"]])
    on = f" on {partitions}" if partitions else ""
    return f"{request['api']}{on} from client {request['client_id']}"
