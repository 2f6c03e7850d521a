"""Causes, as records tell them."""

from __future__ import annotations

from broker.common.topic_partition import TopicPartition
from broker.wait_records.causes import Cause, CauseKind
from protocol.headers import RequestHeader


def test_what_is_not_known_is_not_told() -> None:
    """A timeout has nobody behind it."""
    assert Cause(CauseKind.TIMEOUT).to_dict() == {"cause": "timeout"}


def test_an_event_names_partition_offset_replica_and_request() -> None:
    """A follower's fetch that moved the high watermark."""
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
