"""Which transactions have timed out, and their aborts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.steps.queue import finish
from broker.transactions.metadata import NO_TIMEOUT_MS, TransactionMetadata
from broker.transactions.requests import EndTxnResult, InitProducerIdResult
from broker.transactions.timeouts import is_timed_out
from broker.transactions.transaction_state import TransactionState
from protocol.errors import ErrorCode
from tests.broker.transactions.test_initialization import value
from tests.broker.transactions.world import TIMEOUT_MS, World, begin

# A transaction that began at 100 and has a timeout of a minute.
OPEN = value("ONGOING")
END_MS = 60_101
NONE = ErrorCode.NONE


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize("state", list(TransactionState))
def test_only_an_open_transaction_times_out(state: TransactionState) -> None:
    """After its timeout, not at it."""
    entry = TransactionMetadata("id", replace(OPEN, state=state))

    assert is_timed_out(entry, END_MS) is (state is TransactionState.ONGOING)
    assert not is_timed_out(entry, END_MS - 1)


def test_a_transition_in_progress_is_waited_for() -> None:
    """The transaction is checked again later."""
    entry = TransactionMetadata("id", OPEN)
    entry.pending = value("PREPARE_COMMIT")

    assert not is_timed_out(entry, END_MS)


def test_two_phase_commit_has_no_timeout() -> None:
    """A log of Kafka may contain such transactions."""
    entry = TransactionMetadata("id", replace(OPEN, timeout_ms=NO_TIMEOUT_MS))

    assert not is_timed_out(entry, 2**40)


def test_a_transaction_is_aborted_after_its_timeout(world: World) -> None:
    """At the first check after it."""
    begin(world)
    world.wait(TIMEOUT_MS)
    finish(world.coordinator.abort_timed_out())
    assert world.value.state.name == "ONGOING"
    world.wait(1)

    finish(world.coordinator.abort_timed_out())

    [pending] = world.markers.pending
    assert (pending.producer_epoch, pending.commit) == (1, False)
    world.write_markers()
    assert world.value.state.name == "COMPLETE_ABORT"
    assert world.coordinator.states.ongoing == {}


def test_the_producer_of_an_aborted_transaction_learns_it_by_its_next_request(world: World) -> None:
    """An abort of protocol 2 is taken for a retry and gets the next epoch; a commit fails."""
    begin(world)
    world.wait(TIMEOUT_MS + 1)
    finish(world.coordinator.abort_timed_out())
    world.write_markers()

    assert world.add((0, 0)) == [ErrorCode.PRODUCER_FENCED]
    assert world.end(client_version=0) == [(ErrorCode.PRODUCER_FENCED, -1, -1)]
    assert world.end(commit=True) == [(ErrorCode.INVALID_TXN_STATE, -1, -1)]
    assert world.end(commit=False) == [EndTxnResult(NONE, 0, 1)]
    assert world.init((0, 0)) == [InitProducerIdResult(NONE, 0, 1)]


def test_an_abort_that_cannot_be_written_is_tried_at_the_next_check(world: World) -> None:
    """The transaction stays open."""
    begin(world)
    world.wait(TIMEOUT_MS + 1)
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    finish(world.coordinator.abort_timed_out())
    assert world.value.state.name == "ONGOING"

    world.log.refusal = None
    finish(world.coordinator.abort_timed_out())

    assert world.value.state.name == "PREPARE_ABORT"


def _three_that_have_timed_out(world: World) -> list[str]:
    ids = ["i1", "i2", "i3"]
    for number, each in enumerate(ids):
        world.init(transactional_id=each)
        world.add((number, 0), transactional_id=each)
    world.wait(TIMEOUT_MS + 1)
    return ids


def _states(world: World, ids: list[str]) -> list[str]:
    return [world.coordinator.metadata_of(each).value.state.name for each in ids]


def test_transactions_are_aborted_in_slices(world: World) -> None:
    """Other requests are handled between two aborts."""
    ids = _three_that_have_timed_out(world)

    slices = world.coordinator.abort_timed_out()
    next(slices)

    assert _states(world, ids) == ["PREPARE_ABORT", "ONGOING", "ONGOING"]
    finish(slices)
    assert _states(world, ids) == ["PREPARE_ABORT"] * 3


def test_a_transaction_that_is_loaded_again_between_slices_is_not_aborted(world: World) -> None:
    """Its former state is not written; the next check aborts it."""
    ids = _three_that_have_timed_out(world)
    slices = world.coordinator.abort_timed_out()
    next(slices)
    partition = world.coordinator.runtime.partition_for(ids[2])
    world.coordinator.runtime.on_resignation(partition)
    world.coordinator.runtime.on_election(partition, world.logs[partition])

    finish(slices)

    assert world.coordinator.metadata_of(ids[2]).value.state.name == "ONGOING"
