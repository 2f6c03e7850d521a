"""Mutants of the controller."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from broker.controller.partitions import alter_partition, partition_change
from broker.controller.partitions.alter_partition import AlterPartition
from tests.simulation.mutants.registry import mutant


@mutant(44)
def a_change_of_an_older_partition_is_made(patch: pytest.MonkeyPatch) -> None:
    check = alter_partition._check_partition  # noqa: SLF001 - a mutant replaces it

    def check_partition(change: AlterPartition, known: Any, brokers: Any) -> None:
        check(replace(change, partition_epoch=known.partition_epoch), known, brokers)

    patch.setattr(alter_partition, "_check_partition", check_partition)


@mutant(20)
def a_change_of_a_former_leader_is_made(patch: pytest.MonkeyPatch) -> None:
    """Both epochs must be accepted: accepting an old leader epoch alone changes nothing.

    Both epochs only increase, and the leader epoch never alone (``test_controller_at_random``), so
    the partition epoch of a former leader is old, too. It is refused with another code then, which
    no leader distinguishes.
    """
    check = alter_partition._check_partition  # noqa: SLF001 - a mutant replaces it

    def check_partition(change: AlterPartition, known: Any, brokers: Any) -> None:
        if change.leader_epoch < known.leader_epoch:
            epochs = {name: getattr(known, name) for name in ("leader_epoch", "partition_epoch")}
            change = replace(change, node_id=known.leader, **epochs)
        check(change, known, brokers)

    patch.setattr(alter_partition, "_check_partition", check_partition)


@mutant(4)
def a_follower_that_has_restarted_joins(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        alter_partition,
        "_is_eligible",
        lambda broker, _epoch: broker is not None and not broker.fenced,
    )


@mutant(0)
def a_reassignment_completes_before_its_replicas_are_in_sync(patch: pytest.MonkeyPatch) -> None:
    complete = partition_change._complete_reassignment  # noqa: SLF001 - a mutant replaces it

    def complete_at_once(target: Any) -> Any:
        all_replicas = replace(target, isr=(*target.isr, *target.adding_replicas))
        done = complete(all_replicas)
        isr = tuple(node for node in target.isr if node in done.replicas)
        return replace(done, isr=isr) if isr and done is not all_replicas else target

    patch.setattr(partition_change, "_complete_reassignment", complete_at_once)
