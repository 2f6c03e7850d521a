"""What every Kafka of the tests is configured with, wherever it runs.

It only makes it start in seconds and lets small clusters hold the internal topics; it changes
nothing that clients see. The first node is the controller as well, so that the others can be paused
and killed without harm to it.
"""

from __future__ import annotations

CONTROLLER_NODE = 1


def node_properties(node: int, nodes: int, controller: str) -> dict[str, str]:
    """The properties of one of *nodes* nodes that meet at the address *controller*."""
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
