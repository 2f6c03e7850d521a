"""Which identity InitProducerId returns, by the state of the id and the identity in the request."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from broker.common.errors import ApiError
from broker.transactions.initialization import initialize, new_value
from broker.transactions.metadata import TransactionMetadata, TransactionValue
from broker.transactions.requests import ProducerIdAndEpoch
from broker.transactions.transaction_partitions import TransactionPartitions
from broker.transactions.transaction_state import TransactionState
from protocol.errors import ErrorCode
from tests.broker.transactions.world import A

FENCED = ErrorCode.PRODUCER_FENCED
BUSY = ErrorCode.CONCURRENT_TRANSACTIONS
IDLE = ("EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT")
NOW_MS = 500

Identity = tuple[int, int]
# The identity and the last epoch after the transition.
Granted = tuple[int, int, int]


def value(state: str = "EMPTY", epoch: int = 5, last: int = 4, prev: int = 7) -> TransactionValue:
    """Producer id 7, whose last epoch is 4."""
    return TransactionValue(
        producer_id=7,
        producer_epoch=epoch,
        prev_producer_id=prev,
        last_producer_epoch=last,
        timeout_ms=60_000,
        state=TransactionState[state],
        partitions=TransactionPartitions() if state in IDLE else TransactionPartitions({A}),
        start_ms=100,
        last_update_ms=200,
    )


def result(before: TransactionValue, own: Identity | None) -> Granted | ErrorCode | None:
    """The result of InitProducerId; the next new producer id is 90."""
    expected = None if own is None else ProducerIdAndEpoch(*own)
    entry = TransactionMetadata("id", before)
    try:
        after = initialize(entry, expected, 1000, NOW_MS, itertools.count(90).__next__)
    except ApiError as refusal:
        return refusal.code
    if after is None:
        return None
    return after.producer_id, after.producer_epoch, after.last_producer_epoch


@pytest.mark.parametrize("state", IDLE)
@pytest.mark.parametrize(
    ("before", "own", "expected"),
    [
        (value(), None, (7, 6, -1)),
        (value(), (7, 5), (7, 6, 5)),
        (value(), (7, 4), (7, 5, 4)),
        (value(), (7, 3), FENCED),
        (value(), (7, 6), FENCED),
        (value(last=-1), (7, 4), FENCED),
        (value(), (8, 5), FENCED),
        (value(), (8, 32_766), FENCED),
        (value(epoch=32_766), None, (90, 0, -1)),
        (value(epoch=32_766), (7, 32_766), (90, 0, 32_766)),
        (value(epoch=32_766), (7, 32_765), ErrorCode.UNKNOWN_SERVER_ERROR),
        (value(epoch=32_767), None, (90, 0, -1)),
        (value(epoch=32_765), None, (7, 32_766, -1)),
        (value(epoch=0, last=32_766, prev=6), (6, 32_766), (7, 0, 32_766)),
        (value(epoch=0, last=32_766, prev=6), (6, 32_765), FENCED),
        (value(epoch=0, last=32_766, prev=6), None, (7, 1, -1)),
        (value(epoch=0, last=-1, prev=6), (6, 32_766), FENCED),
        (value(epoch=-1, last=-1), None, (7, 0, -1)),
        (value(epoch=-1, last=-1), (3, 9), (7, 0, -1)),
    ],
)
def test_an_idle_id(
    state: str, before: TransactionValue, own: Identity | None, expected: Granted | ErrorCode
) -> None:
    """Its epoch is bumped, its producer id replaced, or the request is repeated or fenced."""
    assert result(replace(before, state=TransactionState[state]), own) == expected


@pytest.mark.parametrize(
    ("own", "expected"), [(None, None), ((7, 5), None), ((7, 1), None), ((8, 5), FENCED)]
)
def test_an_open_transaction_is_aborted_first(own: Identity | None, expected: object) -> None:
    """Whatever the epoch of the request, unless the producer id is another one."""
    assert result(value("ONGOING"), own) == expected


@pytest.mark.parametrize("state", ["PREPARE_COMMIT", "PREPARE_ABORT"])
@pytest.mark.parametrize(
    ("own", "expected"), [(None, BUSY), ((7, 5), BUSY), ((7, 1), BUSY), ((8, 5), FENCED)]
)
def test_a_prepared_transaction_must_end_first(
    state: str, own: Identity | None, expected: ErrorCode
) -> None:
    """The client retries; another producer id is fenced before that is checked."""
    assert result(value(state), own) == expected


@pytest.mark.parametrize("own", [None, (8, 5)])
def test_a_transition_in_progress_is_checked_first(own: Identity | None) -> None:
    """Its result is not known yet."""
    entry = TransactionMetadata("id", value())
    entry.pending = value(epoch=6)
    expected = None if own is None else ProducerIdAndEpoch(*own)

    with pytest.raises(ApiError) as raised:
        initialize(entry, expected, 1000, NOW_MS, lambda: 90)

    assert raised.value.code is BUSY


def test_the_new_value_is_empty() -> None:
    """It has the timeout of the request, and no partitions and no start time."""
    before = replace(value("COMPLETE_COMMIT"), client_transaction_version=2)

    after = initialize(TransactionMetadata("id", before), None, 1000, NOW_MS, lambda: 90)

    assert after == TransactionValue(
        producer_id=7,
        producer_epoch=6,
        prev_producer_id=7,
        timeout_ms=1000,
        state=TransactionState.EMPTY,
        last_update_ms=NOW_MS,
        client_transaction_version=2,
    )


def test_a_replaced_producer_id_is_the_previous_one() -> None:
    """So that a retry with it can be recognized."""
    before = value(epoch=32_766)

    after = initialize(TransactionMetadata("id", before), None, 1000, NOW_MS, lambda: 90)

    assert after is not None
    assert (after.prev_producer_id, after.producer_id) == (7, 90)


def test_a_new_id_has_no_epoch() -> None:
    """It is visible with epoch -1 until its first record is replicated."""
    first = new_value(3, 1000, NOW_MS)

    assert (first.producer_id, first.producer_epoch, first.state.name) == (3, -1, "EMPTY")
