"""What becomes of a partition when nodes come and go, or when somebody asks for another leader.

Each is one partition's part of what Kafka's ``ReplicationControlManager`` does with many of them.
"""

from __future__ import annotations

from dataclasses import replace

from broker.common.errors import ApiError
from broker.controller.image import NO_LEADER, PartitionRegistration
from broker.controller.partition_change import Election, Rules, change_partition
from protocol.errors import ErrorCode


def with_leader(partition: PartitionRegistration, rules: Rules) -> PartitionRegistration:
    """The partition led by whoever can, if nobody leads it (``handleBrokerUnfenced``)."""
    return partition if has_leader(partition) else change_partition(partition, partition, rules)


def without_fenced(
    node_id: int, partition: PartitionRegistration, rules: Rules
) -> PartitionRegistration:
    """The partition once a node is fenced, or its disk has failed: not in sync, not led by it.

    Kafka's ``handleBrokerFenced`` and ``handleDirectoriesOffline``.
    """
    wanted = replace(partition, isr=_without(partition.isr, node_id))
    others = replace(rules, can_lead=lambda each: each != node_id and rules.can_lead(each))
    return change_partition(partition, wanted, others)


def without_crashed(
    node_id: int, partition: PartitionRegistration, rules: Rules
) -> PartitionRegistration:
    """The partition when a node comes back from a crash, before it is alive again.

    What it had not yet synced to disk may be missing, so nobody may rely on it to have all that was
    committed (``handleBrokerShutdown``).
    """
    wanted = replace(partition, isr=_without(partition.isr, node_id))
    return change_partition(partition, wanted, rules, crashed={node_id})


def after_start(partition: PartitionRegistration, rules: Rules) -> PartitionRegistration:
    """The partition once all nodes that start together are there: those that are not, are out."""
    wanted = replace(partition, isr=tuple(filter(rules.can_lead, partition.isr)))
    return change_partition(partition, wanted, rules)


def without_leader(partition: PartitionRegistration) -> PartitionRegistration:
    """The partition as the last process left it: nobody leads it, until nodes register.

    Its leader is remembered, so that it leads again if it can - in a new epoch, as after any
    restart of a broker.
    """
    if not has_leader(partition):
        return partition
    return replace(partition, leader=NO_LEADER, last_known_elr=(partition.leader,))


def clear_elr(partition: PartitionRegistration) -> PartitionRegistration:
    """The partition when ``min.insync.replicas`` is another one (Kafka's ``ClearElrRecord``).

    Who left while it was higher may lack what was committed since it is lower.
    """
    if not partition.elr and not partition.last_known_elr:
        return partition
    return replace(
        partition, elr=(), last_known_elr=(), partition_epoch=partition.partition_epoch + 1
    )


def elect_leader(
    election: Election, partition: PartitionRegistration, rules: Rules
) -> PartitionRegistration:
    """The partition with the leader that somebody asked for.

    Raises `ApiError` as Kafka's ``ReplicationControlManager.electLeader``.
    """
    if election is Election.PREFERRED:
        settled, nobody = has_preferred_leader(partition), ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    else:
        settled, nobody = has_leader(partition), ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    if settled:
        raise ApiError(
            ErrorCode.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition."
        )
    changed = change_partition(partition, partition, replace(rules, election=election))
    if changed is partition:
        raise ApiError(nobody, _NOBODY[nobody])
    return changed


def elect_preferred_leader(partition: PartitionRegistration, rules: Rules) -> PartitionRegistration:
    """The partition led by its first replica if that can lead it."""
    return change_partition(partition, partition, replace(rules, election=Election.PREFERRED))


def has_leader(partition: PartitionRegistration) -> bool:
    """Whether anybody leads."""
    return partition.leader != NO_LEADER


def has_preferred_leader(partition: PartitionRegistration) -> bool:
    """Whether the first replica leads."""
    return partition.leader == partition.replicas[0]


def _without(nodes: tuple[int, ...], node_id: int) -> tuple[int, ...]:
    return tuple(each for each in nodes if each != node_id)


_NOBODY = {
    ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE: "The preferred leader was not available.",
    ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE: (
        "Eligible topic partition leaders are not available."
    ),
}
