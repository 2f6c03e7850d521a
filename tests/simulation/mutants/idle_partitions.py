"""Mutants of the idle partitions of fetch sessions."""

from __future__ import annotations

import pytest

from broker.replication.fetch_data import FetchPartition
from broker.replication.idle_partitions import IdlePartitions
from broker.replication.leader_state import LeaderState
from broker.replication.replica import Replica
from tests.simulation.mutants.registry import mutant


@mutant(0)
def an_idle_partition_stays_idle(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(IdlePartitions, "log_changed", lambda self, key: None)


@mutant(2)
def a_fetch_does_not_wait_on_idle_partitions(patch: pytest.MonkeyPatch) -> None:
    def watch(self: IdlePartitions, requested: FetchPartition) -> None:
        self._reactivated.append(requested)

    patch.setattr(IdlePartitions, "_watch", watch)


@mutant(0)
def a_fetch_does_not_count_for_idle_partitions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Replica, "become_idle", lambda self, fetches: None)


@mutant(82)
def followers_out_of_sync_have_idle_partitions(patch: pytest.MonkeyPatch) -> None:
    def replica_in_sync(self: LeaderState, node_id: int) -> Replica | None:
        return self.replicas.get(node_id)

    patch.setattr(LeaderState, "replica_in_sync", replica_in_sync)
