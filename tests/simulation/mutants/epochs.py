"""Mutants of leader epochs and truncation."""

from __future__ import annotations

from typing import Any

import pytest

from broker.replication import log_reader
from broker.replication.follower import replica_fetcher
from broker.replication.leader_state import LeaderState
from broker.replication.partition import Partition
from tests.simulation.mutants.registry import mutant


@mutant(3)
def a_follower_never_truncates(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(replica_fetcher, "truncation_offset", lambda log, epoch, end: log.log_end_offset)


@mutant(3)
def a_leader_does_not_detect_diverging_logs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(log_reader, "diverging_epoch", lambda partition, epoch, offset: None)


@mutant(1)
def a_follower_truncates_to_its_high_watermark(patch: pytest.MonkeyPatch) -> None:
    make_follower = Partition.make_follower

    def and_cut(self: Partition, registration: Any) -> bool:
        new_epoch = make_follower(self, registration)
        if new_epoch:
            self.log.truncate_to(self.log.high_watermark)
        return new_epoch

    patch.setattr(Partition, "make_follower", and_cut)


@mutant(28)
def epochs_are_not_compared(patch: pytest.MonkeyPatch) -> None:
    def check_leader(self: Partition, epoch: int, *, leader_required: bool = True) -> None:
        if leader_required:
            self.leader_state_or_error()

    patch.setattr(Partition, "check_leader", check_leader)


@mutant(11)
def a_former_leader_processes_responses(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(LeaderState, "resign", lambda self: None)
