"""Warnings about topics of an earlier start."""

from __future__ import annotations

from broker.controller.database.stored_topics import difference, missing_nodes
from tests.broker.controller.nodes import Nodes


def test_the_numbers_that_differ_are_named() -> None:
    """A number that is not given (-1) does not differ."""
    topic = Nodes().topic(1, 2, 3)

    assert difference(topic, 5, 3) == "the topic exists with 1 partition"
    assert difference(topic, 1, 2) == "the topic exists with replication factor 3"
    assert difference(topic, 5, 2) == "the topic exists with 1 partition and replication factor 3"
    assert difference(topic, 1, 3) == ""
    assert difference(topic, -1, -1) == ""


def test_replicas_on_nodes_that_do_not_exist() -> None:
    """The warning names the nodes, and how many there must be."""
    topic = Nodes().topic(1, 2, 3)

    assert missing_nodes([topic], {1}) == (
        "1 topic has replicas on nodes that do not exist: 2, 3; give --brokers 3"
    )
    assert missing_nodes([topic, topic], {1, 2}) == (
        "2 topics have replicas on nodes that do not exist: 3; give --brokers 3"
    )
    assert missing_nodes([topic], {1, 2, 3}) == ""
