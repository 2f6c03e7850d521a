"""The description of a partition that Metadata and DescribeTopicPartitions have in common."""

from __future__ import annotations

from typing import TypedDict

from broker.controller.image import NO_LEADER, MetadataImage, PartitionRegistration


class PartitionFacts(TypedDict):
    """The fields that both responses have."""

    partition_index: int
    leader_id: int
    leader_epoch: int
    replica_nodes: list[int]
    isr_nodes: list[int]
    offline_replicas: list[int]


def partition_facts(
    index: int, partition: PartitionRegistration, image: MetadataImage, listener: str
) -> PartitionFacts:
    """Describe the replicas and the leader of a partition to a client of *listener*.

    The leader is -1 if it is not alive, or has no advertised address for the listener.
    """
    is_reachable = image.is_reachable
    return PartitionFacts(
        partition_index=index,
        leader_id=partition.leader if is_reachable(partition.leader, listener) else NO_LEADER,
        leader_epoch=partition.leader_epoch,
        replica_nodes=list(partition.replicas),
        isr_nodes=list(partition.isr),
        offline_replicas=[node for node in partition.replicas if not is_reachable(node, listener)],
    )
