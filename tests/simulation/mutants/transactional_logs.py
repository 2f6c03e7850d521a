"""Mutants of partitions with transactions, of their readers, and of offsets in transactions."""

from __future__ import annotations

from typing import Any

import pytest

from broker.groups.group_offsets import GroupOffsets
from broker.storage.log import unified_log
from broker.storage.log.readable_log import ReadableLog
from broker.storage.producers import producer_append
from broker.storage.producers.producer_state import ProducerStateManager
from broker.storage.producers.transactions import Transactions
from protocol.record_batch.header import NO_PRODUCER_ID
from tests.simulation.mutants.registry import mutant


@mutant(2)
def open_transactions_are_read(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ReadableLog, "last_stable_offset", property(lambda self: self.high_watermark))


@mutant(32)
def a_later_transaction_hides_an_open_one(patch: pytest.MonkeyPatch) -> None:
    complete = Transactions.complete

    def and_forget(self: Transactions, completed: Any) -> Any:
        for first in [each for each in self.ongoing if each < completed.first_offset]:
            del self.ongoing[first]
        return complete(self, completed)

    patch.setattr(Transactions, "complete", and_forget)


@mutant(2)
def aborted_transactions_are_not_listed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ReadableLog, "aborted_in", lambda self, data, upper: [])


@mutant(2)
def followers_do_not_index_aborted_transactions(patch: pytest.MonkeyPatch) -> None:
    replay_all = ProducerStateManager.replay_all

    def and_index_nothing(self: ProducerStateManager, *batches: Any) -> list[Any]:
        replay_all(self, *batches)
        return []

    patch.setattr(ProducerStateManager, "replay_all", and_index_nothing)


@mutant(2)
def offsets_are_committed_before_their_transaction(patch: pytest.MonkeyPatch) -> None:
    change = GroupOffsets.change

    def and_commit(self: GroupOffsets, group_id: str, changes: Any, _id: int = 0) -> None:
        change(self, group_id, changes, NO_PRODUCER_ID)

    patch.setattr(GroupOffsets, "change", and_commit)


@mutant(67)
def a_late_marker_ends_the_next_transaction(patch: pytest.MonkeyPatch) -> None:
    check = producer_append.check_marker
    patch.setattr(
        unified_log,
        "check_marker",
        lambda producers, header, batch, _version: check(producers, header, batch, 0),
    )


@mutant(67)
def pending_offsets_are_not_loaded(patch: pytest.MonkeyPatch) -> None:
    adopt = GroupOffsets.adopt

    def without_pending(self: GroupOffsets, group_id: str, loaded: GroupOffsets) -> None:
        loaded._pending.pop(group_id, None)  # noqa: SLF001 - a mutant removes it
        adopt(self, group_id, loaded)

    patch.setattr(GroupOffsets, "adopt", without_pending)
