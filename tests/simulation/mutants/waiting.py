"""Mutants of waiting operations and responses."""

from __future__ import annotations

from typing import Any

import pytest

from broker.network.clients.writer import Writer
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.storage.log.unified_log import UnifiedLog
from protocol.output import as_bytes
from purgatories.operations.delayed_partitions import DelayedPartitions
from tests.simulation.mutants.registry import mutant


@mutant(0)
def operations_are_not_checked_after_offsets_moved(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        PartitionPurgatories, "after_offsets_moved", lambda self, key, offset, replica=None: None
    )


@mutant(5)
def operations_are_not_checked_after_lost_leadership(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PartitionPurgatories, "after_leaving", lambda self, key, kind: None)


@mutant(106)
def a_duplicate_checks_no_produces(patch: pytest.MonkeyPatch) -> None:
    append = Partition.append_as_leader

    def without_notification(self: Partition, *arguments: Any, **options: Any) -> Any:
        info, moved = append(self, *arguments, **options)
        return info, moved and not info.duplicate

    patch.setattr(Partition, "append_as_leader", without_notification)


@mutant(0)
def waits_end_early(patch: pytest.MonkeyPatch) -> None:
    init = DelayedPartitions.__init__

    def impatient(self: Any, timeout_ms: float, *rest: Any) -> None:
        init(self, timeout_ms * 0.9, *rest)

    patch.setattr(DelayedPartitions, "__init__", impatient)


@mutant(0)
def waits_end_late(patch: pytest.MonkeyPatch) -> None:
    init = DelayedPartitions.__init__

    def patient(self: Any, timeout_ms: float, *rest: Any) -> None:
        init(self, timeout_ms + 20, *rest)

    patch.setattr(DelayedPartitions, "__init__", patient)


@mutant(17)
def a_response_is_sent_twice(patch: pytest.MonkeyPatch) -> None:
    flush = Writer.flush

    def twice(self: Writer) -> bool:
        again = b"".join(map(as_bytes, self._parts))
        is_draining = flush(self)
        if again and len(again) % 7 == 0:
            self._transport.send([again])
        return is_draining

    patch.setattr(Writer, "flush", twice)


@mutant(29)
def followers_lose_producer_state(patch: pytest.MonkeyPatch) -> None:
    append = UnifiedLog.append_as_follower

    def and_forget(self: UnifiedLog, *arguments: Any) -> Any:
        result = append(self, *arguments)
        self.producer_state_manager.producers.clear()
        return result

    patch.setattr(UnifiedLog, "append_as_follower", and_forget)
