"""How a partition's registration changes: epochs, leader, in-sync set, all from one place.

Whatever changes a partition says what it wants (another in-sync set, other replicas, an election)
and gets the registration that follows, or the same one if nothing does. The partition epoch grows
with every change; the leader epoch with a new leader, and when a replica is taken away, so that
leader and followers take notice (Kafka's ``PartitionChangeBuilder``). An in-sync set that shrinks
does not count for the latter (KAFKA-15021).

A member that leaves an in-sync set which is then too small for acks=all stays an *eligible leader
replica*: nothing can have been committed without it, so it may lead later without loss (KIP-966).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum

from broker.controller.image import NO_LEADER, PartitionRegistration

Alive = Callable[[int], bool]


class Election(Enum):
    """Whom to look for: ONLINE keeps a leader that is alive and in sync."""

    ONLINE = 0
    PREFERRED = 1
    UNCLEAN = 2


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for the partition's topic, and who is alive."""

    alive: Alive
    min_insync_replicas: int = 1
    unclean: bool = False


def change(
    old: PartitionRegistration,
    rules: Rules,
    *,
    isr: Iterable[int] | None = None,
    election: Election = Election.ONLINE,
) -> PartitionRegistration:
    """*old* with another in-sync set, if one is given, and the leader that follows from it.

    A reassignment whose new replicas are all in sync is completed on the way.
    """
    wanted = replace(old, isr=old.isr if isr is None else tuple(isr))
    wanted = _completed(wanted)
    wanted = _with_eligible_leaders(old, wanted, rules)
    wanted = _elected(wanted, rules, election)
    return with_epochs(old, wanted)


def with_epochs(old: PartitionRegistration, new: PartitionRegistration) -> PartitionRegistration:
    """*new* with the epochs it must have after *old*; *old* itself if it is the same otherwise."""
    if new == old:
        return old
    bump = new.leader != old.leader or not set(old.replicas) <= set(new.replicas)
    return replace(
        new, leader_epoch=old.leader_epoch + bump, partition_epoch=old.partition_epoch + 1
    )


def _completed(wanted: PartitionRegistration) -> PartitionRegistration:
    """End a reassignment when every replica that it adds is in sync."""
    if not (wanted.adding_replicas or wanted.removing_replicas):
        return wanted
    isr = _without(wanted.isr, wanted.removing_replicas)
    if not isr or not set(wanted.adding_replicas) <= set(isr):
        return wanted
    return replace(
        wanted,
        replicas=_without(wanted.replicas, wanted.removing_replicas),
        isr=isr,
        elr=_without(wanted.elr, wanted.removing_replicas),
        adding_replicas=(),
        removing_replicas=(),
    )


def _with_eligible_leaders(
    old: PartitionRegistration, wanted: PartitionRegistration, rules: Rules
) -> PartitionRegistration:
    """Remember who may still lead while the set is too small to commit anything."""
    if len(wanted.isr) >= min(rules.min_insync_replicas, len(wanted.replicas)):
        return replace(wanted, elr=())
    candidates = (*old.elr, *(node for node in old.isr if node not in old.elr))
    elr = tuple(n for n in candidates if n in wanted.replicas and n not in wanted.isr)
    return replace(wanted, elr=elr)


def _elected(
    wanted: PartitionRegistration, rules: Rules, election: Election
) -> PartitionRegistration:
    def able(node: int) -> bool:
        return node in wanted.isr and rules.alive(node)

    if election is Election.PREFERRED and able(wanted.replicas[0]):
        return replace(wanted, leader=wanted.replicas[0])
    if able(wanted.leader):
        return wanted
    alive = [node for node in wanted.replicas if rules.alive(node)]
    if in_sync := [node for node in alive if node in wanted.isr]:
        return replace(wanted, leader=in_sync[0])
    if eligible := [node for node in alive if node in wanted.elr]:
        elr = _without(wanted.elr, eligible[:1])
        return replace(wanted, leader=eligible[0], isr=(eligible[0],), elr=elr)
    if alive and (rules.unclean or election is Election.UNCLEAN):
        return replace(wanted, leader=alive[0], isr=(alive[0],), elr=())
    return replace(wanted, leader=NO_LEADER)


def _without(nodes: Iterable[int], gone: Iterable[int]) -> tuple[int, ...]:
    return tuple(node for node in nodes if node not in tuple(gone))
