"""Moving replicas to other nodes: both sets hold the partition until the new ones are in sync.

    replicas 1 2 3, wanted 1 4      replicas 1 4 2 3, adding 4, removing 2 3
                                    4 joins the in-sync set: replicas 1 4

Kafka's ``PartitionReassignmentReplicas`` and ``PartitionReassignmentRevert`` (KIP-455). Completing
is part of every change of a partition, see `broker.controller.partition_change`.
"""

from __future__ import annotations

from dataclasses import replace

from broker.controller.image import PartitionRegistration
from broker.errors import ApiError
from protocol.errors import ErrorCode


def reassigned(old: PartitionRegistration, wanted: tuple[int, ...]) -> PartitionRegistration:
    """*old* on its way to *wanted*, epochs untouched; what was under way before is replaced."""
    settled = tuple(node for node in old.replicas if node not in old.adding_replicas)
    adding = tuple(node for node in wanted if node not in settled)
    removing = tuple(node for node in settled if node not in wanted)
    replicas = (*wanted, *removing)
    return replace(
        old,
        replicas=replicas,
        isr=tuple(node for node in old.isr if node in replicas),
        elr=tuple(node for node in old.elr if node in replicas),
        adding_replicas=adding,
        removing_replicas=removing,
    )


def reverted(old: PartitionRegistration) -> PartitionRegistration:
    """*old* without what is under way, epochs untouched.

    Raises `ApiError`: NO_REASSIGNMENT_IN_PROGRESS; INVALID_REPLICA_ASSIGNMENT when nobody who was
    there before is in sync.
    """
    if not (old.adding_replicas or old.removing_replicas):
        raise ApiError(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS)
    isr = tuple(node for node in old.isr if node not in old.adding_replicas)
    if not isr:
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "Reverting would leave no replica that is in sync.",
        )
    return replace(
        old,
        replicas=tuple(node for node in old.replicas if node not in old.adding_replicas),
        isr=isr,
        elr=tuple(node for node in old.elr if node not in old.adding_replicas),
        adding_replicas=(),
        removing_replicas=(),
    )
