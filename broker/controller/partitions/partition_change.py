"""How a partition changes: leader, ISR, ELR, replicas and epochs (``PartitionChangeBuilder``).

Every change is computed here from a target: a complete reassignment is completed, a leader that
cannot stay is replaced, and the eligible leader replicas are maintained (KIP-966, on by default
since Kafka 4.1). Without the latter, the last replica in sync remains in the ISR, and only it can
lead again. Since metadata version 3.6 shrinking the ISR alone keeps the leader epoch
(KAFKA-15021).

Deviation: where ELR have been disabled, an election removes the last known leader; Kafka keeps it,
without an effect.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from enum import Enum, auto

from broker.controller.metadata.image import NO_LEADER, PartitionRegistration
from protocol.lazy_dataclass import dataclass


class Election(Enum):
    """Which replicas an election may choose."""

    ONLINE = auto()  # the present leader if possible, else the first live replica of ISR or ELR
    PREFERRED = auto()  # the first replica if it can lead, else as ONLINE
    UNCLEAN = auto()  # as ONLINE, else any live replica


@dataclass(slots=True, frozen=True)
class Rules:
    """Which nodes can lead, how many in-sync replicas are enough, and whether there are ELR."""

    can_lead: Callable[[int], bool]
    min_isr: int
    election: Election = Election.ONLINE
    has_elr: bool = True


def change_partition(
    partition: PartitionRegistration,
    target: PartitionRegistration,
    rules: Rules,
    *,
    crashed: Collection[int] = (),
) -> PartitionRegistration:
    """The partition after changing it to *target*; the same object if nothing changes.

    ``crashed`` replicas had an unclean shutdown: they may lack committed records, and leave the
    ELR.
    """
    target = _complete_reassignment(target)
    isr, elr = target.isr, _eligible(partition, target, rules, crashed)
    leader, unclean = _elect(partition, target, elr, rules)
    if unclean:
        isr, elr = (leader,), ()
    elif leader in elr:
        isr, elr = (leader,), tuple(each for each in elr if each != leader)
    elif not isr and not rules.has_elr:
        isr = partition.isr
    last_known_elr = _last_leader(partition, leader, rules)
    new = replace(target, isr=isr, leader=leader, elr=elr, last_known_elr=last_known_elr)
    if new == partition:
        return partition
    if not rules.has_elr:
        new = replace(new, elr=())
    epoch_ends = leader != partition.leader or not set(partition.replicas) <= set(new.replicas)
    return replace(
        new,
        leader_epoch=partition.leader_epoch + epoch_ends,
        partition_epoch=partition.partition_epoch + 1,
    )


def _complete_reassignment(target: PartitionRegistration) -> PartitionRegistration:
    """Remove the replicas to be removed once those to be added are in sync.

    If more are removed than added, all remaining replicas must be in sync. Kafka's
    ``PartitionReassignmentReplicas.maybeCompleteReassignment``.
    """
    adding, removing = target.adding_replicas, target.removing_replicas
    if not adding and not removing:
        return target
    isr = tuple(each for each in target.isr if each not in removing)
    replicas = tuple(each for each in target.replicas if each not in removing)
    awaited = {*adding, *(replicas if len(adding) < len(removing) else ())}
    if not isr or not replicas or not awaited <= set(isr):
        return target
    return replace(target, replicas=replicas, isr=isr, adding_replicas=(), removing_replicas=())


def _eligible(
    partition: PartitionRegistration,
    target: PartitionRegistration,
    rules: Rules,
    crashed: Collection[int],
) -> tuple[int, ...]:
    """The replicas that left an ISR while it was too small to commit without them.

    If there are no ELR any more, those of before can still lead a partition with an empty ISR.
    """
    if not rules.has_elr:
        return target.elr
    if len(target.isr) >= rules.min_isr:
        return ()
    return tuple(sorted({*target.elr, *partition.isr} - {*target.isr, *crashed}))


def _elect(
    partition: PartitionRegistration,
    target: PartitionRegistration,
    elr: tuple[int, ...],
    rules: Rules,
) -> tuple[int, bool]:
    """The leader, and whether it may lack committed records."""
    order = (partition.leader, *partition.last_known_elr, *target.replicas)
    if rules.election is Election.PREFERRED:
        order = (target.replicas[0], *order)
    able = [each for each in order if each in target.replicas and rules.can_lead(each)]
    safe = target.isr or elr
    for candidate in able:
        if candidate in safe:
            return candidate, False
    if not safe and rules.has_elr:
        for candidate in able:
            if candidate in partition.last_known_elr:
                return candidate, True
    if rules.election is Election.UNCLEAN:
        for candidate in target.replicas:
            if candidate in able:
                return candidate, True
    return NO_LEADER, False


def _last_leader(partition: PartitionRegistration, leader: int, rules: Rules) -> tuple[int, ...]:
    """The last known leader of a partition without leader."""
    if leader != NO_LEADER:
        return ()
    if partition.leader == NO_LEADER or not rules.has_elr:
        return partition.last_known_elr
    return (partition.leader,)
