"""Mutants of transaction coordinators: identities, decisions and markers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from broker.transactions import additions, initialization, marker_channel, state_manager
from broker.transactions.coordinator import TransactionCoordinator
from broker.transactions.coordinator_state import CoordinatorState
from broker.transactions.marker_channel import TransactionMarkerChannel
from broker.transactions.requests import EndTxnResult
from broker.transactions.state_manager import TransactionStateManager
from broker.transactions.transaction_partitions import TransactionPartitions
from broker.transactions.transaction_state import TransactionState
from broker.transactions.transitions import completed, with_partitions
from protocol.errors import ErrorCode
from tests.simulation.mutants.registry import mutant


@mutant(17)
def markers_without_response_are_not_repeated(patch: pytest.MonkeyPatch) -> None:
    handle = TransactionMarkerChannel._on_response  # noqa: SLF001 - a mutant replaces it

    def on_response(self: TransactionMarkerChannel, sent: Any, response: Any) -> None:
        if response is not None:
            handle(self, sent, response)

    patch.setattr(TransactionMarkerChannel, "_on_response", on_response)


@mutant(1557)
def a_partition_without_leader_needs_no_marker(patch: pytest.MonkeyPatch) -> None:
    done = marker_channel._DONE | {ErrorCode.NOT_LEADER_OR_FOLLOWER}  # noqa: SLF001 - the same
    patch.setattr(marker_channel, "_DONE", done)


@mutant(2)
def a_new_coordinator_sends_no_markers(patch: pytest.MonkeyPatch) -> None:
    loaded = TransactionStateManager.on_loaded

    def on_loaded(self: TransactionStateManager, number: int, state: CoordinatorState) -> None:
        state.prepared.clear()
        loaded(self, number, state)

    patch.setattr(TransactionStateManager, "on_loaded", on_loaded)


@mutant(47)
def a_new_coordinator_aborts_what_was_decided(patch: pytest.MonkeyPatch) -> None:
    loaded = TransactionStateManager.on_loaded

    def on_loaded(self: TransactionStateManager, number: int, state: CoordinatorState) -> None:
        for entry in state.prepared.values():
            entry.value = replace(entry.value, state=TransactionState.PREPARE_ABORT)
            entry.pending = completed(entry.value, entry.value.last_update_ms)
        loaded(self, number, state)

    patch.setattr(TransactionStateManager, "on_loaded", on_loaded)


@mutant(22)
def a_transaction_is_complete_with_its_first_marker(patch: pytest.MonkeyPatch) -> None:
    written = TransactionCoordinator.marker_written

    def marker_written(
        self: TransactionCoordinator, transactional_id: str, epoch: int, partition: Any
    ) -> None:
        entry = self.metadata_of(transactional_id)
        if entry.value.state.is_prepared and partition in entry.without_marker:
            entry.without_marker = {partition}
        written(self, transactional_id, epoch, partition)

    patch.setattr(TransactionCoordinator, "marker_written", marker_written)


@mutant(47)
def transactions_do_not_time_out(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TransactionCoordinator, "abort_timed_out", lambda self: iter(()))


@mutant(2)
def a_new_producer_gets_the_epoch_of_the_former_one(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        initialization, "_next_epoch", lambda value, expected: (max(0, value.producer_epoch), -1)
    )


@mutant(7)
def the_producer_of_a_transaction_is_not_checked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(additions, "_check_producer", lambda value, producer_id, epoch: None)


@mutant(2)
def partitions_replace_earlier_ones(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        additions,
        "with_partitions",
        lambda value, partitions, *rest: replace(
            with_partitions(value, partitions, *rest), partitions=TransactionPartitions(partitions)
        ),
    )
    patch.setattr(state_manager, "check_transition", lambda before, after: None)


@mutant(72)
def a_decision_is_returned_before_it_is_replicated(patch: pytest.MonkeyPatch) -> None:
    prepare = TransactionCoordinator._prepare  # noqa: SLF001 - a mutant replaces it

    def and_respond(self: TransactionCoordinator, entry: Any, value: Any, on_end: Any) -> None:
        after = completed(value, value.last_update_ms)
        on_end(EndTxnResult(ErrorCode.NONE, after.producer_id, after.producer_epoch))
        prepare(self, entry, value, lambda result: None)

    patch.setattr(TransactionCoordinator, "_prepare", and_respond)


@mutant(87)
def the_end_of_a_transaction_is_not_repeated(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        TransactionCoordinator,
        "_complete",
        lambda self, entry: self.states.append(entry, entry.pending, lambda error: None),
    )
