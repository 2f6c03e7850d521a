"""Causes as fields of records."""

from __future__ import annotations

from broker.common.topic_partition import TopicPartition
from broker.wait_records.causes import Cause, CauseKind
from protocol.headers import RequestHeader


def test_unknown_parts_are_left_out() -> None:
    """A timeout has no partition and no request."""
    assert Cause(CauseKind.TIMEOUT).to_dict() == {"cause": "timeout"}


def test_a_cause_has_the_transaction_that_ended() -> None:
    """It is copied as it is."""
    ended = {"producer_id": 7, "outcome": "abort", "held_ms": 4200}
    cause = Cause(CauseKind.TRANSACTION, TopicPartition("t", 2), 43, transaction=ended)

    assert cause.to_dict()["transaction"] == ended
    assert cause.to_dict()["cause"] == "transaction"


def test_a_cause_has_partition_offset_replica_and_request() -> None:
    """Here a follower's fetch has moved the high watermark."""
    header = RequestHeader(1, 12, 17, "node-3")
    cause = Cause(CauseKind.HIGH_WATERMARK, TopicPartition("t", 2), 43, 3, header)

    assert cause.to_dict() == {
        "cause": "high_watermark",
        "topic": "t",
        "partition": 2,
        "offset": 43,
        "replica": 3,
        "request": {"api": "Fetch", "client_id": "node-3", "correlation_id": 17},
    }


def test_a_wait_that_adds_to_its_cause_ends_with_the_same_event() -> None:
    """The end of a transaction, and a new segment, are known to the wait only."""
    event = Cause(CauseKind.APPEND, TopicPartition("t", 2), 43)

    assert event.is_end_of(event)
    assert event._replace(segment=40).is_end_of(event)
    assert event._replace(kind=CauseKind.TRANSACTION, transaction={}).is_end_of(event)
    assert not event._replace(offset=44).is_end_of(event)
