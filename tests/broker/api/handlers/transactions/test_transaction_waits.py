"""Descriptions of the waits of requests that take part in transactions."""

from __future__ import annotations

from dataclasses import replace

from broker.api.handlers.transactions.transaction_waits import (
    MarkersWait,
    TransactionStateWait,
    VerificationWait,
)
from broker.common.topic_partition import TopicPartition
from broker.wait_records.causes import TIMED_OUT, Cause, CauseKind
from protocol.headers import RequestHeader
from tests.broker.transactions.test_initialization import value

A, B = TopicPartition("a", 0), TopicPartition("b", 1)
FETCH = RequestHeader(1, 18, 7, "node-2")


def test_a_verification_waits_for_a_coordinator() -> None:
    """It names the transaction and the node."""
    wait = VerificationWait("billing", 2, [A, B], 30_000)

    assert wait.condition() == {
        "kind": "transaction_coordinator",
        "transactional_id": "billing",
        "node": 2,
    }
    assert wait.timeout_ms == 30_000
    assert wait.cause(lambda: TIMED_OUT) == Cause(CauseKind.COORDINATOR)


def test_markers_wait_for_their_replication() -> None:
    """The counts are those of partitions."""
    missing = 2
    wait = MarkersWait([A, B], lambda: missing, 30_000)
    assert wait.condition() == {"kind": "markers", "need": 2, "had": 0}
    assert wait.timeout_ms == 30_000

    missing = 1

    assert wait.condition()["had"] == 1


def test_markers_are_completed_by_the_request_that_replicated_the_last_one() -> None:
    """Or by the timeout."""
    wait = MarkersWait([A], lambda: 0, 30_000)

    completed = wait.cause(lambda: Cause(CauseKind.MEMBERS, request=FETCH))

    assert completed == Cause(CauseKind.HIGH_WATERMARK, request=FETCH)
    assert wait.cause(lambda: TIMED_OUT) is TIMED_OUT


def test_the_partitions_of_a_wait_have_no_offsets_yet() -> None:
    """Neither a batch nor a marker is known to be in the log."""
    for wait in (VerificationWait("t", None, [A, B], 1), MarkersWait([A, B], lambda: 2, 1)):
        assert list(wait.partitions()) == [(A, -1, 0), (B, -1, 0)]
        assert list(wait.partition_facts()) == [
            {"topic": "a", "partition": 0},
            {"topic": "b", "partition": 1},
        ]


def test_a_wait_for_the_record_of_a_transaction_names_its_id() -> None:
    """A request of a broker may be about several; their timeouts are not in the request."""
    wait = TransactionStateWait("billing", lambda _: None, 60_000)

    assert wait.condition() == {"kind": "transaction_state", "transactional_id": "billing"}
    assert wait.timeout_ms == 60_000
    several = TransactionStateWait(None, lambda _: None)
    assert several.condition() == {"kind": "transaction_state", "transactional_id": None}
    assert several.timeout_ms is None


def test_a_wait_for_the_record_of_a_transaction_describes_the_record() -> None:
    """After a timeout too, when the record is no longer in writing."""
    decided = replace(value("PREPARE_COMMIT"), producer_epoch=4)
    in_writing = {"billing": decided}
    wait = TransactionStateWait("billing", in_writing.get)

    before = wait.condition()
    in_writing.clear()

    assert before == wait.condition()
    assert (before["state"], before["producer_epoch"]) == ("PrepareCommit", 4)


def test_the_record_of_a_transaction_is_replicated_by_a_request() -> None:
    """Or not in time."""
    wait = TransactionStateWait("billing", lambda _: None)

    completed = wait.cause(lambda: Cause(CauseKind.MEMBERS, request=FETCH))

    assert completed == Cause(CauseKind.HIGH_WATERMARK, request=FETCH)
    assert wait.cause(lambda: TIMED_OUT) is TIMED_OUT
