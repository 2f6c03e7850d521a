"""What a client of the admin interface may wait for: each looks at the facts and says what lacks.

parked         requests wait: at least so many of that API, topic and client
hw             the high watermark is the log's end, in every partition named
isr            the in-sync set is all the replicas, or has exactly so many
group_stable   the group is Stable, and has at least so many members
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from broker.admin.facts import LIMIT_MAX, Facts, JsonObject, RequestQuery

_TOLD_MAX = 5  # how many partitions or requests one line names

# What there is, and what it lacks in a few words each: nothing lacks when the condition holds.
Finding = tuple[JsonObject, list[str]]


class Condition(Protocol):
    """Something that is so, or is not so yet."""

    def look(self, facts: Facts) -> Finding:
        """See whether it is so."""
        ...

    def instead(self, facts: Facts, /) -> list[str]:
        """What is there instead, for who has waited in vain; nothing if what lacks says it all."""
        ...


@dataclass(frozen=True, slots=True)
class Parked:
    """At least ``asked.limit`` requests wait."""

    asked: RequestQuery

    def look(self, facts: Facts) -> Finding:
        """Count what waits."""
        found, asked = facts.requests(self.asked), self.asked
        if len(found) >= asked.limit:
            return {"requests": found}, []
        topic = f" on {asked.topic}" if asked.topic else ""
        client = f" from client {asked.client}" if asked.client else ""
        what = f"{asked.api or 'requests'}{topic}{client}"
        return {}, [f"{len(found)} of {asked.limit} parked {what}"]

    def instead(self, facts: Facts) -> list[str]:
        """All that waits."""
        waiting = facts.requests(RequestQuery(parked=True, limit=LIMIT_MAX))
        return [_told(each) for each in waiting] or ["nothing parked"]


@dataclass(frozen=True, slots=True)
class _OfPartitions(ABC):
    """Something of each partition of a topic, of one of them, or of all there are."""

    topic: str | None
    partition: int | None

    def look(self, facts: Facts) -> Finding:
        """See what each partition lacks."""
        named = list(self._partitions(facts))
        if self.topic is not None and not named:
            which = self.topic if self.partition is None else f"{self.topic}-{self.partition}"
            return {}, [f"there is no {which}"]
        lacking = [self._lacking(name, each) for name, each in named]
        return {"partitions": [each for _, each in named]}, [words for words in lacking if words]

    def instead(self, _facts: Facts) -> list[str]:
        """Nothing: what lacks says what there is."""
        return []

    def _partitions(self, facts: Facts) -> Iterator[tuple[str, JsonObject]]:
        for topic in facts.cluster()["topics"]:
            for each in topic["partitions"]:
                if self._is_meant(topic["name"], each["partition"]):
                    yield f"{topic['name']}-{each['partition']}", {"topic": topic["name"], **each}

    def _is_meant(self, topic: str, partition: int) -> bool:
        return self.topic in (None, topic) and self.partition in (None, partition)

    @abstractmethod
    def _lacking(self, name: str, partition: JsonObject) -> str:
        """What the partition lacks; empty when nothing does."""


@dataclass(frozen=True, slots=True)
class HighWatermark(_OfPartitions):
    """Everything appended is replicated."""

    def _lacking(self, name: str, partition: JsonObject) -> str:
        reached, end = partition["high_watermark"], partition["log_end_offset"]
        if partition["leader"] < 0 or end is None:
            return f"{name} has no leader that runs"
        return "" if reached == end else f"{name} has high watermark {reached} and log end {end}"


@dataclass(frozen=True, slots=True)
class InSync(_OfPartitions):
    """The in-sync set has ``count`` members, or is complete."""

    count: int | None

    def _lacking(self, name: str, partition: JsonObject) -> str:
        isr = sorted(partition["isr"])
        replicas = sorted(each["node"] for each in partition["replicas"])
        wanted = len(replicas) if self.count is None else self.count
        return "" if len(isr) == wanted else f"{name} has {isr} of {replicas} in sync"


@dataclass(frozen=True, slots=True)
class GroupStable:
    """A group's rebalance is over."""

    group: str
    count: int

    def look(self, facts: Facts) -> Finding:
        """Find the group."""
        for each in facts.groups():
            if each["group"] == self.group:
                if each["state"] == "Stable" and each["members"] >= self.count:
                    return {"group": each}, []
                members = f"{each['members']} of {self.count} members"
                return {}, [f"group {self.group} is {each['state']} with {members}"]
        return {}, [f"there is no group {self.group}"]

    def instead(self, facts: Facts) -> list[str]:
        """The groups there are."""
        groups = facts.groups()
        return [f"group {each['group']} is {each['state']}" for each in groups]


def some(words: list[str]) -> str:
    """The first of *words* in one line, and how many more there are."""
    more = len(words) - _TOLD_MAX
    return ", ".join(words[:_TOLD_MAX]) + (f" and {more} more" if more > 0 else "")


def _told(request: JsonObject) -> str:
    partitions = some([f"{each['topic']}-{each['partition']}" for each in request["partitions"]])
    on = f" on {partitions}" if partitions else ""
    return f"{request['api']}{on} from client {request['client_id']}"
