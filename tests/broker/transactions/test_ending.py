"""EndTxn of both protocols, and aborts by the coordinator, in every state."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.common.errors import ApiError
from broker.transactions.ending import end, fence
from broker.transactions.metadata import NO_PARTITIONS, TransactionMetadata, TransactionValue
from broker.transactions.requests import EndTxn
from protocol.errors import ErrorCode
from tests.broker.transactions.test_initialization import value

OTHER_ID = ErrorCode.INVALID_PRODUCER_ID_MAPPING
FENCED = ErrorCode.PRODUCER_FENCED
BUSY = ErrorCode.CONCURRENT_TRANSACTIONS
INVALID = ErrorCode.INVALID_TXN_STATE
DONE = ErrorCode.NONE
COMMIT, ABORT = "PREPARE_COMMIT", "PREPARE_ABORT"
NOW_MS = 500


def ended(
    before: TransactionMetadata, producer: tuple[int, int], *, commit: bool, client_version: int
) -> str | ErrorCode:
    """The state after EndTxn, the error, or NONE if nothing is written."""
    request = EndTxn(
        transactional_id="id",
        producer_id=producer[0],
        producer_epoch=producer[1],
        commit=commit,
        client_version=client_version,
    )
    try:
        after = end(before, request, NOW_MS, lambda: 90)
    except ApiError as refusal:
        return refusal.code
    return DONE if after is None else after.state.name


def both(
    before: TransactionMetadata, producer: tuple[int, int], version: int
) -> tuple[object, ...]:
    """The results of a commit and of an abort."""
    return tuple(
        ended(before, producer, commit=commit, client_version=version) for commit in (True, False)
    )


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("EMPTY", (INVALID, INVALID)),
        ("ONGOING", (COMMIT, ABORT)),
        ("PREPARE_COMMIT", (BUSY, INVALID)),
        ("PREPARE_ABORT", (INVALID, BUSY)),
        ("COMPLETE_COMMIT", (DONE, INVALID)),
        ("COMPLETE_ABORT", (INVALID, DONE)),
    ],
)
def test_protocol_1(state: str, expected: tuple[object, ...]) -> None:
    """With the present epoch (5); each other epoch is fenced, and another producer id unknown."""
    before = TransactionMetadata("id", value(state))

    assert both(before, (7, 5), 0) == expected
    assert both(before, (7, 4), 0) == (FENCED, FENCED)
    assert both(before, (7, 6), 0) == (FENCED, FENCED)
    assert both(before, (8, 5), 0) == (OTHER_ID, OTHER_ID)


@pytest.mark.parametrize(
    ("state", "present", "retry"),
    [
        ("EMPTY", (INVALID, ABORT), (FENCED, FENCED)),
        ("ONGOING", (COMMIT, ABORT), (FENCED, FENCED)),
        ("PREPARE_COMMIT", (FENCED, FENCED), (BUSY, INVALID)),
        ("PREPARE_ABORT", (FENCED, FENCED), (INVALID, BUSY)),
        ("COMPLETE_COMMIT", (INVALID, ABORT), (DONE, INVALID)),
        ("COMPLETE_ABORT", (INVALID, ABORT), (INVALID, DONE)),
    ],
)
def test_protocol_2(state: str, present: tuple[object, ...], retry: tuple[object, ...]) -> None:
    """With the present epoch (5), and with that before the bump (4); others are fenced."""
    before = TransactionMetadata("id", value(state))

    assert both(before, (7, 5), 2) == present
    assert both(before, (7, 4), 2) == retry
    assert both(before, (7, 3), 2) == (FENCED, FENCED)
    assert both(before, (7, 6), 2) == (FENCED, FENCED)
    assert both(before, (8, 5), 2) == (OTHER_ID, OTHER_ID)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("EMPTY", (FENCED, FENCED)),
        ("ONGOING", (FENCED, FENCED)),
        ("COMPLETE_COMMIT", (DONE, INVALID)),
        ("COMPLETE_ABORT", (INVALID, DONE)),
    ],
)
def test_a_retry_with_the_producer_id_that_was_replaced(
    state: str, expected: tuple[object, ...]
) -> None:
    """It is recognized by the previous id, the last epoch of clients, and the new epoch 0."""
    before = TransactionMetadata("id", value(state, epoch=0, last=32_766, prev=6))

    assert both(before, (6, 32_766), 2) == expected
    assert both(before, (6, 32_765), 2) == (OTHER_ID, OTHER_ID)
    assert both(before, (6, 32_766), 0) == (OTHER_ID, OTHER_ID)


@pytest.mark.parametrize(
    ("version", "producer", "expected"),
    [
        (0, (7, 5), BUSY),
        (0, (7, 4), FENCED),
        (0, (8, 5), OTHER_ID),
        (2, (7, 5), BUSY),
        (2, (7, 4), BUSY),
        (2, (8, 5), BUSY),
    ],
)
def test_a_transition_in_progress(
    version: int, producer: tuple[int, int], expected: ErrorCode
) -> None:
    """Protocol 2 checks it first, because the transition may replace the identity."""
    before = TransactionMetadata("id", value("ONGOING"))
    before.pending = value("PREPARE_COMMIT")

    assert both(before, producer, version) == (expected, expected)


def after_end(before: TransactionValue, *, commit: bool, client_version: int) -> TransactionValue:
    """The value that EndTxn with the present identity writes."""
    request = EndTxn(
        transactional_id="id",
        producer_id=before.producer_id,
        producer_epoch=before.producer_epoch,
        commit=commit,
        client_version=client_version,
    )
    after = end(TransactionMetadata("id", before), request, NOW_MS, lambda: 90)
    assert after is not None
    return after


def test_protocol_1_keeps_the_epoch() -> None:
    """Its markers have the epoch of the producer."""
    after = after_end(value("ONGOING"), commit=True, client_version=0)

    assert (after.producer_epoch, after.last_producer_epoch) == (5, 4)
    assert (after.start_ms, after.last_update_ms) == (100, NOW_MS)
    assert after.client_transaction_version == 0


def test_protocol_2_bumps_the_epoch() -> None:
    """The epoch before is the last one, so that InitProducerId can be retried."""
    after = after_end(value("ONGOING"), commit=True, client_version=2)

    assert (after.producer_epoch, after.last_producer_epoch) == (6, 5)
    assert (after.next_producer_id, after.client_transaction_version) == (-1, 2)


@pytest.mark.parametrize("state", ["EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"])
def test_an_abort_of_nothing_starts_now(state: str) -> None:
    """A completed transaction must have a start time."""
    after = after_end(value(state), commit=False, client_version=2)

    assert (after.state.name, after.start_ms, after.partitions) == (ABORT, NOW_MS, NO_PARTITIONS)


@pytest.mark.parametrize("commit", [True, False])
def test_an_exhausted_epoch_has_the_next_producer_id(commit: bool) -> None:
    """The markers have the last epoch of the present id, which clients never use."""
    after = after_end(value("ONGOING", epoch=32_766), commit=commit, client_version=2)

    assert (after.producer_id, after.producer_epoch, after.next_producer_id) == (7, 32_767, 90)


def test_protocol_1_does_not_replace_an_exhausted_producer_id() -> None:
    """InitProducerId does."""
    after = after_end(value("ONGOING", epoch=32_766), commit=True, client_version=0)

    assert (after.producer_epoch, after.next_producer_id) == (32_766, -1)


# ---------------------------------------------------------------------------- by the coordinator


def fenced(version: int, before: TransactionMetadata) -> tuple[object, ...]:
    """The epoch, the last epoch, the next id and the protocol of an abort by the coordinator."""
    after = fence(before, version, NOW_MS, lambda: 90)
    assert after.state.name == ABORT
    return (
        after.producer_epoch,
        after.last_producer_epoch,
        after.next_producer_id,
        after.client_transaction_version,
    )


@pytest.mark.parametrize(
    ("version", "epoch", "expected"),
    [
        (2, 5, (6, 5, -1, 2)),
        (2, 32_766, (32_767, 32_766, 90, 2)),
        (1, 5, (6, -1, -1, 0)),
        (0, 5, (6, -1, -1, 0)),
        (1, 32_766, (32_767, -1, -1, 0)),
    ],
)
def test_the_coordinator_aborts_with_a_bumped_epoch(
    version: int, epoch: int, expected: tuple[object, ...]
) -> None:
    """By the level of the feature, whatever protocol the client uses."""
    before = replace(value("ONGOING", epoch=epoch), client_transaction_version=2)

    assert fenced(version, TransactionMetadata("id", before)) == expected


def test_protocol_1_bumps_the_epoch_in_memory_at_once() -> None:
    """The old producer is fenced even if the record cannot be written."""
    entry = TransactionMetadata("id", value("ONGOING"))

    fenced(1, entry)

    assert (entry.value.producer_epoch, entry.value.state.name) == (6, "ONGOING")


def test_protocol_1_does_not_bump_the_epoch_twice() -> None:
    """The bumped epoch of a failed attempt is used again."""
    entry = TransactionMetadata("id", value("ONGOING"))
    fenced(1, entry)
    entry.has_failed_epoch_fence = True

    assert fenced(1, entry) == (6, -1, -1, 0)


def test_protocol_2_leaves_the_epoch_to_the_record() -> None:
    """A failed attempt has no effect."""
    entry = TransactionMetadata("id", value("ONGOING"))

    fenced(2, entry)

    assert entry.value == value("ONGOING")
