"""Waiting for the high watermark, the last stable offset or the in-sync set of partitions."""

from __future__ import annotations

from abc import ABC, abstractmethod

from broker.admin.conditions.condition import Finding
from broker.admin.facts.facts import LIMIT_MAX, Facts
from broker.admin.facts.json_object import JsonObject
from broker.admin.parameters import LONG_MAX, read_partition
from broker.admin.query import Query
from protocol.lazy_dataclass import dataclass


def absent(topic: str, partition: int | None) -> str:
    """What is missing if there is no such topic, or no such partition of it."""
    if partition is None:
        return f"there is no topic {topic}"
    return f"there is no partition {topic}-{partition}"


@dataclass(frozen=True, slots=True)
class OfPartitions(ABC):
    """A condition of a partition, of each partition of a topic, or of all partitions."""

    topic: str | None
    partition: int | None

    def check(self, facts: Facts) -> Finding:
        """Check each partition."""
        partitions = list(facts.partitions(self.topic, self.partition))
        if self.topic is not None and not partitions:
            return {}, [absent(self.topic, self.partition)]
        missing = [
            self._missing(f"{each['topic']}-{each['partition']}", each) for each in partitions
        ]
        return {"partitions": partitions}, [line for line in missing if line]

    def alternatives(self, _facts: Facts) -> list[str]:
        """Return nothing: the missing lines include the present state."""
        return []

    @abstractmethod
    def _missing(self, name: str, partition: JsonObject) -> str:
        """What the partition lacks; empty if the condition holds."""


@dataclass(frozen=True, slots=True)
class HighWatermark(OfPartitions):
    """All records are replicated."""

    def _missing(self, name: str, partition: JsonObject) -> str:
        high_watermark, end = partition["high_watermark"], partition["log_end_offset"]
        if partition["leader"] < 0 or end is None:
            return f"{name} has no running leader"
        if high_watermark == end:
            return ""
        return f"{name} has high watermark {high_watermark} and log end {end}"


@dataclass(frozen=True, slots=True)
class StableOffset(OfPartitions):
    """The last stable offset is at least ``offset``, or the log end if that is None."""

    offset: int | None

    def _missing(self, name: str, partition: JsonObject) -> str:
        stable, end = partition["last_stable_offset"], partition["log_end_offset"]
        if partition["leader"] < 0 or end is None:
            return f"{name} has no running leader"
        if stable >= (end if self.offset is None else self.offset):
            return ""
        needed = f"log end {end}" if self.offset is None else f"needed offset {self.offset}"
        reason = _held_back(partition["held_back_by"])
        return f"{name} has last stable offset {stable} and {needed}{reason}"


@dataclass(frozen=True, slots=True)
class InSync(OfPartitions):
    """The in-sync set has ``count`` replicas, or all of them if that is None."""

    count: int | None

    def _missing(self, name: str, partition: JsonObject) -> str:
        isr = sorted(partition["isr"])
        replicas = sorted(each["node"] for each in partition["replicas"])
        count = len(replicas) if self.count is None else self.count
        return "" if len(isr) == count else f"{name} has {isr} of {replicas} in sync"


def read_high_watermark(query: Query) -> HighWatermark:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "topic", "partition", "timeout_ms")
    return HighWatermark(*read_partition(query))


def read_stable_offset(query: Query) -> StableOffset:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "topic", "partition", "offset", "timeout_ms")
    return StableOffset(*read_partition(query), query.whole("offset", 0, LONG_MAX))


def read_in_sync(query: Query) -> InSync:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "topic", "partition", "count", "timeout_ms")
    return InSync(*read_partition(query), query.whole("count", 0, LIMIT_MAX))


def _held_back(transaction: JsonObject | None) -> str:
    """The reason, after a last stable offset; empty if it is the high watermark."""
    if transaction is None:
        return ""
    name = transaction["transactional_id"]
    producer = f"producer id {transaction['producer_id']}" if name is None else f"producer {name}"
    state = "open" if transaction["state"] == "open" else "decided, and its marker not replicated"
    return f", because the transaction of {producer} is {state}"
