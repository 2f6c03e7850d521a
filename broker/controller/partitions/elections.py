"""Changes of one partition when nodes register, stop or fail, and when an election is requested.

Each is the part for one partition of a method of Kafka's ``ReplicationControlManager``.
"""

from __future__ import annotations

from dataclasses import replace

from broker.common.errors import ApiError
from broker.controller.metadata.image import NO_LEADER, PartitionRegistration
from broker.controller.partitions.partition_change import Election, Rules, change_partition
from protocol.errors import ErrorCode


def with_leader(partition: PartitionRegistration, rules: Rules) -> PartitionRegistration:
    """The partition, with a leader if one can be elected (``handleBrokerUnfenced``)."""
    return partition if has_leader(partition) else change_partition(partition, partition, rules)


def is_needless(error: ApiError | None) -> bool:
    """Whether an election was refused because the partition needs none."""
    return error is not None and error.code is ErrorCode.ELECTION_NOT_NEEDED


def without_fenced(
    node_id: int, partition: PartitionRegistration, rules: Rules
) -> PartitionRegistration:
    """The partition after a node is fenced or its disk has failed: out of the ISR, not the leader.

    Kafka's ``handleBrokerFenced`` and ``handleDirectoriesOffline``.
    """
    wanted = replace(partition, isr=_without(partition.isr, node_id))
    others = replace(rules, can_lead=lambda each: each != node_id and rules.can_lead(each))
    return change_partition(partition, wanted, others)


def without_crashed(
    node_id: int, partition: PartitionRegistration, rules: Rules
) -> PartitionRegistration:
    """The partition when a node comes back from an unclean shutdown, before it is unfenced.

    The node may lack committed records that it had not flushed to disk, so it leaves ISR and ELR
    (``handleBrokerShutdown``).
    """
    wanted = replace(partition, isr=_without(partition.isr, node_id))
    return change_partition(partition, wanted, rules, crashed={node_id})


def after_start(partition: PartitionRegistration, rules: Rules) -> PartitionRegistration:
    """The partition after the nodes that start together have registered.

    Missing ones leave the ISR.
    """
    wanted = replace(partition, isr=tuple(filter(rules.can_lead, partition.isr)))
    return change_partition(partition, wanted, rules)


def without_leader(partition: PartitionRegistration) -> PartitionRegistration:
    """The partition as the last process left it, without a leader until nodes register.

    The former leader is remembered and leads again if possible, in a new leader epoch, as after a
    restart of a broker.
    """
    if not has_leader(partition):
        return partition
    return replace(partition, leader=NO_LEADER, last_known_elr=(partition.leader,))


def clear_elr(partition: PartitionRegistration) -> PartitionRegistration:
    """The partition after ``min.insync.replicas`` changed (Kafka's ``ClearElrRecord``).

    A replica that left while the value was higher may lack records committed since.
    """
    if not partition.elr and not partition.last_known_elr:
        return partition
    return replace(
        partition, elr=(), last_known_elr=(), partition_epoch=partition.partition_epoch + 1
    )


def elect_leader(
    election: Election | int, partition: PartitionRegistration, rules: Rules
) -> PartitionRegistration:
    """The partition after a requested election, or led by the replica with that id.

    Raises `ApiError` as Kafka's ``ReplicationControlManager.electLeader``.
    """
    if isinstance(election, int):
        return _led_by(election, partition, rules)
    if election is Election.PREFERRED:
        settled, not_available = (
            has_preferred_leader(partition),
            ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
        )
    else:
        settled, not_available = has_leader(partition), ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    if settled:
        raise ApiError(
            ErrorCode.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition."
        )
    changed = change_partition(partition, partition, replace(rules, election=election))
    if changed is partition:
        raise ApiError(not_available, _NOT_AVAILABLE[not_available])
    return changed


def _led_by(node_id: int, partition: PartitionRegistration, rules: Rules) -> PartitionRegistration:
    """The partition led by one of its replicas in sync; Kafka elects only the preferred one."""
    if partition.leader == node_id:
        raise ApiError(ErrorCode.ELECTION_NOT_NEEDED, f"node {node_id} leads it already")
    if node_id not in partition.isr or not rules.can_lead(node_id):
        in_sync = ", ".join(map(str, partition.isr)) or "none"
        raise ApiError(
            ErrorCode.INELIGIBLE_REPLICA,
            f"node {node_id} is not a running replica in sync; in sync: {in_sync}",
        )
    others = replace(rules, can_lead=lambda each: each == node_id)
    return change_partition(partition, partition, others)


def elect_preferred_leader(partition: PartitionRegistration, rules: Rules) -> PartitionRegistration:
    """The partition led by its preferred replica, if that can lead."""
    return change_partition(partition, partition, replace(rules, election=Election.PREFERRED))


def has_leader(partition: PartitionRegistration) -> bool:
    """Whether the partition has a leader."""
    return partition.leader != NO_LEADER


def has_preferred_leader(partition: PartitionRegistration) -> bool:
    """Whether the first replica leads."""
    return partition.leader == partition.replicas[0]


def _without(nodes: tuple[int, ...], node_id: int) -> tuple[int, ...]:
    return tuple(each for each in nodes if each != node_id)


_NOT_AVAILABLE = {
    ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE: "The preferred leader was not available.",
    ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE: (
        "Eligible topic partition leaders are not available."
    ),
}
