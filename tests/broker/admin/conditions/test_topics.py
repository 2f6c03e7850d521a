"""Waiting until all nodes know a topic, or none does any more."""

from __future__ import annotations

from typing import Any

from broker.admin.conditions.topics import TopicDeleted, TopicKnown
from tests.facts import FakeFacts


def known_partition(index: int, leader: int, *, serves: bool = False) -> dict[str, Any]:
    """A partition as a node knows it."""
    return {"partition": index, "leader": leader, "serves": serves}


def facts_with_topic() -> FakeFacts:
    """All nodes know both partitions of orders, which node 1 leads."""
    facts = FakeFacts()
    for node, known in facts.known_topics.items():
        known["orders"] = [known_partition(index, 1, serves=node == 1) for index in (0, 1)]
    return facts


def test_each_node_knows_each_partition() -> None:
    """The response has the topic."""
    facts = facts_with_topic()

    finding, missing = TopicKnown("orders", 1).check(facts)

    assert (finding["topic"]["name"], missing) == ("orders", [])
    assert TopicKnown("orders", 2).alternatives(facts) == []


def test_the_nodes_that_lack_something_are_reported() -> None:
    """The topic, a partition, its leader, or the replica of the leader."""
    facts = facts_with_topic()
    del facts.known_topics[2]["orders"]
    facts.known_topics[3]["orders"].pop()
    facts.known_topics[1]["orders"] = [known_partition(0, -1), known_partition(1, 1)]

    assert TopicKnown("orders", 1).check(facts)[1] == [
        "node 1 knows no leader of orders-0",
        "node 1 does not lead orders-1 yet",
        "node 2 does not know orders",
        "node 3 knows 1 of 2 partitions of orders",
    ]


def test_more_partitions_may_be_waited_for() -> None:
    """A client adds them during the wait."""
    assert TopicKnown("orders", 3).check(facts_with_topic())[1] == [
        f"node {node} knows 2 of 3 partitions of orders" for node in (1, 2, 3)
    ]


def test_a_topic_that_does_not_exist_is_reported() -> None:
    """With the topics that exist."""
    facts = facts_with_topic()

    assert TopicKnown("audit", 1).check(facts) == ({}, ["there is no topic audit"])
    assert TopicKnown("audit", 1).alternatives(facts) == ["topic orders"]


def test_a_deleted_topic_is_known_by_no_node() -> None:
    """The nodes that still know it are reported."""
    facts = facts_with_topic()
    del facts.known_topics[2]["orders"]

    assert TopicDeleted("orders").check(facts)[1] == ["node 1 knows orders", "node 3 knows orders"]
    assert TopicDeleted("audit").check(facts) == ({"topic": None}, [])
    assert TopicDeleted("orders").alternatives(facts) == []
