"""The configuration of every real Kafka of the tests.

It shortens the start and allows small clusters to have the internal topics; it does not change what
clients observe. The first node is also the controller, so that the others can be paused and killed.
"""

from __future__ import annotations

from collections.abc import Sequence

CONTROLLER_NODE = 1


def node_properties(node: int, nodes: int, controller: str) -> dict[str, str]:
    """The properties of one of *nodes* nodes, with the controller at *controller*."""
    alone = node == CONTROLLER_NODE
    copies = str(min(3, nodes))
    return {
        "process.roles": "broker,controller" if alone else "broker",
        "node.id": str(node),
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": f"{CONTROLLER_NODE}@{controller}",
        "offsets.topic.replication.factor": copies,
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.num.partitions": "1",
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
    }


def rack_properties(node: int, racks: Sequence[str]) -> dict[str, str]:
    """The properties of a node whose rack is the one at its place in *racks*, if there are any."""
    return {"broker.rack": racks[node - 1]} if racks else {}
