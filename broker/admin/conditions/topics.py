"""Waiting until all nodes know a topic, or none does any more."""

from __future__ import annotations

from broker.admin.conditions.condition import Finding
from broker.admin.facts.facts import LIMIT_MAX, Facts
from broker.admin.facts.json_object import JsonObject
from broker.admin.parameters import read_required
from broker.admin.query import Query
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TopicKnown:
    """Each running node knows all partitions of the topic, and their leaders have begun to lead.

    The topic has at least ``partitions`` partitions.
    """

    topic: str
    partitions: int

    def check(self, facts: Facts) -> Finding:
        """Check the metadata of each node, and its replicas."""
        found = facts.topic(self.topic)
        if found is None:
            return {}, [f"there is no topic {self.topic}"]
        count = max(self.partitions, len(found["partitions"]))
        missing = [
            line for each in facts.topic_on_nodes(self.topic) for line in self._lacks(each, count)
        ]
        return {"topic": found}, missing

    def alternatives(self, facts: Facts) -> list[str]:
        """The topics, if there is none of that name."""
        names = facts.topic_names()
        return [] if self.topic in names else [f"topic {name}" for name in names]

    def _lacks(self, known: JsonObject, count: int) -> list[str]:
        node, partitions = known["node"], known["partitions"]
        if partitions is None:
            return [f"node {node} does not know {self.topic}"]
        if len(partitions) < count:
            return [f"node {node} knows {len(partitions)} of {count} partitions of {self.topic}"]
        return [line for each in partitions if (line := self._lack(node, each))]

    def _lack(self, node: int, partition: JsonObject) -> str:
        name = f"{self.topic}-{partition['partition']}"
        if partition["leader"] < 0:
            return f"node {node} knows no leader of {name}"
        if partition["leader"] == node and not partition["serves"]:
            return f"node {node} does not lead {name} yet"
        return ""


@dataclass(frozen=True, slots=True)
class TopicDeleted:
    """No running node knows the topic."""

    topic: str

    def check(self, facts: Facts) -> Finding:
        """Check the metadata of each node."""
        nodes = facts.topic_on_nodes(self.topic)
        known = [each["node"] for each in nodes if each["partitions"] is not None]
        return {"topic": None}, [f"node {node} knows {self.topic}" for node in known]

    def alternatives(self, _facts: Facts) -> list[str]:
        """Return nothing: the missing lines name the nodes."""
        return []


def read_topic(query: Query) -> TopicKnown:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "topic", "partitions", "timeout_ms")
    return TopicKnown(_topic(query), query.whole("partitions", 1, LIMIT_MAX) or 1)


def read_topic_deleted(query: Query) -> TopicDeleted:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "topic", "timeout_ms")
    return TopicDeleted(_topic(query))


def _topic(query: Query) -> str:
    return read_required(query, "topic", "give the topic to wait for")
