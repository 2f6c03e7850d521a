"""Mutants of what is rare in the life of a transactional id: see `with_rare_events`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.log.readable_log import ReadableLog
from broker.storage.log.unified_log import UnifiedLog
from broker.transactions import coordinator, coordinator_state, expiration
from broker.transactions.marker_channel import TransactionMarkerChannel
from broker.transactions.metadata import TransactionMetadata, TransactionValue
from broker.transactions.state_manager import TransactionStateManager
from broker.transactions.transitions import completed
from protocol.record_batch.header import NO_PRODUCER_ID
from tests.simulation.mutants.registry import mutant


@mutant(1007)
def an_exhausted_producer_id_is_kept(patch: pytest.MonkeyPatch) -> None:
    def kept(value: TransactionValue, now_ms: int) -> TransactionValue:
        after = completed(value, now_ms)
        is_exhausted = value.next_producer_id != NO_PRODUCER_ID
        return replace(after, producer_id=value.producer_id) if is_exhausted else after

    for room in (coordinator, coordinator_state):
        patch.setattr(room, "completed", kept)


@mutant(1072)
def ids_with_an_open_transaction_expire(patch: pytest.MonkeyPatch) -> None:
    def is_idle(states: TransactionStateManager, entry: TransactionMetadata) -> bool:
        return entry.pending is None and states.is_current(entry)

    patch.setattr(expiration, "_is_idle", is_idle)


@mutant(1002)
def partitions_of_deleted_topics_need_markers(patch: pytest.MonkeyPatch) -> None:
    leader = TransactionMarkerChannel._leader  # noqa: SLF001 - a mutant replaces it

    def none(self: TransactionMarkerChannel, key: TopicPartition) -> int | None:
        found = leader(self, key)
        return -1 if found is None else found

    patch.setattr(TransactionMarkerChannel, "_leader", none)


@mutant(1027)
def deletions_end_open_transactions(patch: pytest.MonkeyPatch) -> None:
    increment = UnifiedLog.maybe_increment_log_start_offset

    def and_forget(self: UnifiedLog, offset: int) -> bool:
        transactions = self.producer_state_manager.transactions
        for first in [each for each in transactions.ongoing if each < offset]:
            del transactions.ongoing[first]
            transactions._changed()  # noqa: SLF001 - what Transactions itself does then
        return increment(self, offset)

    patch.setattr(UnifiedLog, "maybe_increment_log_start_offset", and_forget)


@mutant(1027)
def the_stable_offset_stays_at_deleted_records(patch: pytest.MonkeyPatch) -> None:
    def unlimited(self: ReadableLog) -> int:
        first = self.producer_state_manager.transactions.first_unstable_offset
        high_watermark = self.high_watermark
        return high_watermark if first is None else min(first, high_watermark)

    patch.setattr(ReadableLog, "last_stable_offset", property(unlimited))
