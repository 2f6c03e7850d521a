"""Reassigning a partition: the first change of its registration (KIP-455).

The new replicas are added to the old ones. When they are in sync, `change_partition` removes the
old ones.
"""

from __future__ import annotations

from dataclasses import replace

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import MetadataImage, PartitionRegistration
from broker.controller.partitions.new_topics import check_assignment
from broker.controller.partitions.partition_change import Election, Rules, change_partition
from protocol.errors import ErrorCode


def is_reassigning(partition: PartitionRegistration) -> bool:
    """Whether a reassignment is in progress."""
    return bool(partition.adding_replicas or partition.removing_replicas)


def check_target(
    image: MetadataImage,
    partition: PartitionRegistration,
    target: tuple[int, ...],
    *,
    may_change_factor: bool,
) -> None:
    """Raise `ApiError` unless the partition may be reassigned to *target*.

    Without ``may_change_factor`` (v1+, KIP-860) the number of replicas must equal that after the
    present reassignment.
    """
    check_assignment(image, target)
    settled = set(partition.replicas) - set(partition.removing_replicas)
    if not may_change_factor and len(settled) != len(target):
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"The replication factor is changed from {len(settled)} to {len(target)}",
        )


def reassign(
    target: tuple[int, ...], partition: PartitionRegistration, rules: Rules
) -> PartitionRegistration:
    """The partition with a reassignment to *target* (``changePartitionReassignment``).

    As in Kafka, the adding or removing replicas of a reassignment in progress are kept if the new
    one has none; only cancelling resets them.
    """
    present = set(partition.replicas)
    removing = tuple(sorted(present - set(target)))
    adding = tuple(sorted(set(target) - present))
    wanted = replace(
        partition,
        replicas=target + removing,
        adding_replicas=adding or partition.adding_replicas,
        removing_replicas=removing or partition.removing_replicas,
    )
    # Kafka elects no unclean leader here, even if the topic allows it.
    return change_partition(partition, wanted, replace(rules, election=Election.ONLINE))


def cancel_reassignment(
    key: TopicPartition, partition: PartitionRegistration, rules: Rules
) -> PartitionRegistration:
    """The partition with its original replicas (``cancelPartitionReassignment``).

    Raises `ApiError` NO_REASSIGNMENT_IN_PROGRESS, or INVALID_REPLICA_ASSIGNMENT if no original
    replica is in sync and an unclean leader is not allowed.
    """
    if not is_reassigning(partition):
        raise ApiError(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS)
    added = partition.adding_replicas
    replicas = tuple(each for each in partition.replicas if each not in added)
    isr = tuple(each for each in partition.isr if each not in added)
    if not isr and rules.election is not Election.UNCLEAN:
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"Unable to revert partition assignment for {key.topic}:{key.partition} because it "
            "would require an unclean leader election.",
        )
    wanted = replace(
        partition,
        replicas=replicas,
        isr=isr or replicas[:1],
        adding_replicas=(),
        removing_replicas=(),
    )
    return change_partition(partition, wanted, rules)
