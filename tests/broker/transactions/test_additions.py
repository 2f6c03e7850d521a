"""Adding partitions to transactions, and checking which ones they have, in every state."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from broker.common.errors import ApiError
from broker.transactions.additions import add, verify
from broker.transactions.metadata import TransactionMetadata, TransactionValue
from broker.transactions.transaction_partitions import TransactionPartitions
from protocol.errors import ErrorCode
from tests.broker.transactions.test_initialization import IDLE, value
from tests.broker.transactions.world import A, B

FENCED = ErrorCode.PRODUCER_FENCED
OTHER_ID = ErrorCode.INVALID_PRODUCER_ID_MAPPING
BUSY = ErrorCode.CONCURRENT_TRANSACTIONS
NOW_MS = 500
STATES = (*IDLE, "ONGOING", "PREPARE_COMMIT", "PREPARE_ABORT")


def entry(state: str, *, is_pending: bool = False) -> TransactionMetadata:
    """An id with producer id 7 and epoch 5; while it is not idle it has partition a-0."""
    found = TransactionMetadata("id", value(state))
    found.pending = value() if is_pending else None
    return found


def refusal(call: Callable[[], object]) -> ErrorCode | None:
    """The error that *call* raises."""
    try:
        call()
    except ApiError as error:
        return error.code
    return None


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("is_pending", [False, True])
@pytest.mark.parametrize("producer", [(7, 5), (7, 4), (7, 6), (8, 5)])
def test_errors_of_additions(state: str, is_pending: bool, producer: tuple[int, int]) -> None:
    """In order: a transition in progress, the producer id, its epoch, a prepared transaction."""
    before = entry(state, is_pending=is_pending)
    expected = (
        BUSY
        if is_pending
        else OTHER_ID
        if producer[0] != 7
        else FENCED
        if producer[1] != 5
        else BUSY
        if state.startswith("PREPARE")
        else None
    )

    assert refusal(lambda: add(before, *producer, [B], 2, NOW_MS)) is expected


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("is_pending", [False, True])
@pytest.mark.parametrize("producer", [(7, 5), (7, 4), (7, 6), (8, 5)])
def test_errors_of_checks(state: str, is_pending: bool, producer: tuple[int, int]) -> None:
    """As those of additions, but the replicated state counts."""
    before = entry(state, is_pending=is_pending)
    expected = (
        OTHER_ID
        if producer[0] != 7
        else FENCED
        if producer[1] != 5
        else BUSY
        if state.startswith("PREPARE")
        else None
    )

    assert refusal(lambda: verify(before, *producer, [A])) is expected


@pytest.mark.parametrize("state", [*IDLE, "ONGOING"])
def test_a_check_has_a_result_for_each_partition(state: str) -> None:
    """TRANSACTION_ABORTABLE for those that the transaction does not have."""
    has = ErrorCode.NONE if state == "ONGOING" else ErrorCode.TRANSACTION_ABORTABLE

    found = verify(entry(state), 7, 5, [A, B])

    assert found == {A: has, B: ErrorCode.TRANSACTION_ABORTABLE}


@pytest.mark.parametrize("state", IDLE)
def test_the_first_partitions_start_the_transaction(state: str) -> None:
    """It has the time of the addition, and the protocol of the request."""
    after = add(entry(state), 7, 5, [A], 2, NOW_MS)

    assert after is not None
    assert (after.state.name, after.start_ms, after.partitions) == (
        "ONGOING",
        NOW_MS,
        TransactionPartitions([A]),
    )
    assert after.client_transaction_version == 2


def test_partitions_are_added_to_those_of_an_open_transaction() -> None:
    """Its start time stays."""
    after: TransactionValue | None = add(entry("ONGOING"), 7, 5, [A, B], 0, NOW_MS)

    assert after is not None
    assert (after.partitions, after.start_ms, after.last_update_ms) == (
        TransactionPartitions([A, B]),
        100,
        NOW_MS,
    )


def test_partitions_that_the_transaction_has_are_not_written_again() -> None:
    """The request succeeds at once."""
    assert add(entry("ONGOING"), 7, 5, [A], 2, NOW_MS) is None
