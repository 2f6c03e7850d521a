"""Wait records as lines of JSON."""

from __future__ import annotations

import json

import pytest

from broker.common.topic_partition import TopicPartition
from broker.quotas.throttle import Throttle
from broker.security.principal import user
from broker.security.session import Session
from broker.steps.stalls import Stall
from broker.wait_records.causes import TIMED_OUT, Cause, CauseKind
from broker.wait_records.json_line import json_line
from broker.wait_records.record import WaitRecord
from protocol.errors import ErrorCode
from protocol.headers import RequestHeader
from protocol.printable import printable_json
from tests.broker.wait_records.records import wait_record


def _parked() -> WaitRecord:
    record = wait_record()
    record.arrived_us = 1_700_000_000_000_000
    record.waited_ms, record.completed_ms, record.sent_ms = 30.0, 41.0, 41.25
    record.purgatory, record.timeout_ms, record.checks = "Produce", 500, 3
    record.waited_for = {"kind": "high_watermark", "topic": "t", "behind": [2, 3]}
    key = TopicPartition("t", 0)
    record.ended_by = Cause(CauseKind.HIGH_WATERMARK, key, 43, 3, RequestHeader(1, 12, 17, None))
    record.results = [
        (key, 5, (2, 100), 0, 7, 9),
        (TopicPartition("ü", 1), -1, (0, 0), 3, -1, -1),
    ]
    return record


def _parked_twice() -> WaitRecord:
    record = _parked()
    record.keep_wait()
    record.waited_ms = 30.25
    return record


def _refused() -> WaitRecord:
    record = wait_record()
    record.error = ErrorCode.INVALID_GROUP_ID
    return record


def _abandoned() -> WaitRecord:
    record = wait_record()
    record.ended_by = Cause(CauseKind.DISCONNECT)
    return record


def _stalled() -> WaitRecord:
    record = wait_record()
    record.stalled_by = Stall(20.0, 55.5, "run", RequestHeader(19, 7, 3, "admin"))
    return record


def _throttled(name: str) -> WaitRecord:
    record = wait_record()
    entity = (("client-id", None), ("user", "alice"))
    setattr(record, name, Throttle(2100, "producer_byte_rate", entity, 1210.5, 1000))
    return record


def _traced() -> WaitRecord:
    record = wait_record()
    record.traces = ["00-" + "1" * 32 + "-" + "2" * 16 + "-01"] * 2
    return record


def _with_unknown_topics() -> WaitRecord:
    record = _traced()
    record.unknown_topics = ("a", "b")
    return record


def _directed() -> WaitRecord:
    record = wait_record()
    record.preferred_read_replicas = (3, 2)
    return record


def _checked() -> WaitRecord:
    record = _parked()
    record.checked = [(1.25, Cause(CauseKind.APPEND, TopicPartition("t", 0), 42)), (2.0, TIMED_OUT)]
    return record


def _named(client_id: str | None) -> WaitRecord:
    return wait_record(client_id=client_id)


@pytest.mark.parametrize(
    "record",
    [
        wait_record(),
        _parked(),
        _parked_twice(),
        _refused(),
        _abandoned(),
        _stalled(),
        _throttled("throttle"),
        _throttled("muted_by"),
        _traced(),
        _with_unknown_topics(),
        _directed(),
        _checked(),
        _named(None),
        _named('ä"\\\n{0}%b\u2028\ud800'),
        wait_record(session=Session(user('ä"\n%b'), listener="CLIENTS")),
    ],
    ids=[
        "not parked",
        "parked",
        "parked twice",
        "refused",
        "abandoned",
        "stalled",
        "throttled",
        "muted",
        "traced",
        "unknown topics",
        "directed",
        "checked",
        "no client id",
        "unusual client id",
        "authenticated",
    ],
)
def test_a_line_is_what_json_writes(record: WaitRecord) -> None:
    """The same bytes, on one line, with control characters escaped."""
    line = json_line(record)

    assert line == printable_json(json.dumps(record.to_dict(), separators=(",", ":"))).encode()
    assert b"\n" not in line
