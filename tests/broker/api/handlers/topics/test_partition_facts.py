"""The description of a partition."""

from __future__ import annotations

from broker.api.handlers.topics.partition_facts import Nodes, nodes_for, partition_facts
from broker.controller.metadata.image import NO_LEADER, Broker, MetadataImage, PartitionRegistration

PARTITION = PartitionRegistration(replicas=(1, 2, 3), isr=(1, 2), leader=1, leader_epoch=5)


def _image(*fenced: int) -> MetadataImage:
    image = MetadataImage("c")
    for node_id in (1, 2):
        image.put_broker(Broker(node_id, "h", node_id, fenced=node_id in fenced))
    return image


def _reachable(*fenced: int) -> frozenset[int]:
    return nodes_for(_image(*fenced), "PLAINTEXT").reachable


def test_the_nodes_for_clients_of_a_listener() -> None:
    """A fenced node is not alive, and a node is reachable at the listeners it advertises."""
    image = _image(2)

    assert nodes_for(image, "PLAINTEXT") == Nodes(frozenset({1}), frozenset({1}))
    assert nodes_for(image, "SSL") == Nodes(frozenset({1}), frozenset())


def test_a_partition_with_a_leader() -> None:
    """Replicas on unknown nodes are offline."""
    assert partition_facts(7, PARTITION, _reachable()) == {
        "partition_index": 7,
        "leader_id": 1,
        "leader_epoch": 5,
        "replica_nodes": [1, 2, 3],
        "isr_nodes": [1, 2],
        "offline_replicas": [3],
    }


def test_a_leader_that_is_not_alive_is_omitted() -> None:
    """Its replica is offline."""
    facts = partition_facts(0, PARTITION, _reachable(1))

    assert facts["leader_id"] == NO_LEADER
    assert facts["offline_replicas"] == [1, 3]
