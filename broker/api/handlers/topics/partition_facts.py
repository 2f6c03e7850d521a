"""The description of a partition that Metadata and DescribeTopicPartitions have in common."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypedDict

from broker.controller.metadata.image import NO_LEADER, MetadataImage, PartitionRegistration


class Nodes(NamedTuple):
    """The ids of the nodes that are alive, and of those with an address for the client."""

    alive: frozenset[int]
    reachable: frozenset[int]


def nodes_for(image: MetadataImage, listener: str) -> Nodes:
    """The nodes of an image for the clients of a listener."""
    alive = image.alive_brokers()
    return Nodes(
        frozenset(each.node_id for each in alive),
        frozenset(each.node_id for each in alive if listener in each.endpoints),
    )


class PartitionFacts(TypedDict):
    """The fields that both responses have."""

    partition_index: int
    leader_id: int
    leader_epoch: int
    replica_nodes: list[int]
    isr_nodes: list[int]
    offline_replicas: list[int]


def partition_facts(
    index: int, partition: PartitionRegistration, reachable: AbstractSet[int]
) -> PartitionFacts:
    """Describe the replicas and the leader of a partition; the leader is -1 if not *reachable*."""
    return PartitionFacts(
        partition_index=index,
        leader_id=partition.leader if partition.leader in reachable else NO_LEADER,
        leader_epoch=partition.leader_epoch,
        replica_nodes=list(partition.replicas),
        isr_nodes=list(partition.isr),
        offline_replicas=[node for node in partition.replicas if node not in reachable],
    )
