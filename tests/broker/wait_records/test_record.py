"""The record of one request."""

from __future__ import annotations

import re
from pathlib import Path

from broker.common.topic_partition import TopicPartition
from broker.security.principal import user
from broker.security.session import Session
from broker.wait_records.causes import ARRIVED
from broker.wait_records.record import WaitRecord
from tests.broker.wait_records.records import wait_record


def _record() -> WaitRecord:
    record = wait_record()
    record.arrived_us = 1_700_000_000_000_000
    return record


def test_every_field_is_documented() -> None:
    """In the order of the record, which has some fields only if there is something in them."""
    record = _record()
    optional = {"checked", "traces", "unknown_topics", "preferred_read_replicas"}
    assert not optional & record.to_dict().keys()
    record.checked = [(1.5, ARRIVED)]
    record.traces = ["00-" + "1" * 32 + "-" + "2" * 16 + "-01"]
    record.unknown_topics = ["orders"]
    record.preferred_read_replicas = [3]
    page = (Path(__file__).parents[3] / "docs" / "reference" / "records.md").read_text()
    fields, _, _ = page.partition("\n## ")
    rows = re.findall(r"^\| (`.*?) \|", fields, re.MULTILINE)

    assert re.findall(r"`(\w+)`", " ".join(rows)) == list(record.to_dict())


def test_the_principal_is_recorded_as_acls_name_it() -> None:
    """With its type, and with the name of the listener."""
    fields = wait_record(session=Session(user("alice"), listener="CLIENTS")).to_dict()

    assert (fields["principal"], fields["listener"]) == ("User:alice", "CLIENTS")


def test_the_phases_add_up_to_the_total() -> None:
    """Queued, handled, parked and sent, in microseconds."""
    record = _record()
    record.parked_ms = 11.5
    record.completed_ms = 61.5
    record.end_wait(61.5)
    record.sent_ms = 61.75

    fields = record.to_dict()

    phases = [fields[name] for name in ("queued_us", "local_us", "parked_us", "send_us")]
    assert phases == [500, 1000, 50_000, 250]
    assert fields["total_us"] == sum(phases)


def test_an_earlier_wait_has_its_own_fields() -> None:
    """The record has the last wait, and the sum of the times of all."""
    record = _record()
    record.parked_ms, record.purgatory = 11.5, "Produce"
    record.end_wait(21.5)
    record.keep_wait()
    record.parked_ms, record.purgatory = 22.5, "Fetch"
    record.end_wait(62.5)
    record.completed_ms = record.sent_ms = 62.5

    fields = record.to_dict()

    [earlier] = fields["earlier_waits"]
    assert (earlier["purgatory"], earlier["parked_us"]) == ("Produce", 10_000)
    phases = (fields["purgatory"], fields["local_us"], fields["parked_us"])
    assert phases == ("Fetch", 2000, 50_000)


def test_a_request_that_does_not_wait_is_not_parked() -> None:
    """Its time until the response is local."""
    record = _record()
    record.completed_ms = record.sent_ms = 12.5

    fields = record.to_dict()

    assert (fields["local_us"], fields["parked_us"]) == (2000, 0)
    assert fields["completed_by"] == {"cause": "arrival"}


def test_partitions_have_named_fields() -> None:
    """All fields of docs/reference/records.md, in their order."""
    record = _record()
    record.results = [(TopicPartition("t", 0), 5, (2, 100), 0, 7, 9)]

    fields = record.to_dict()

    assert fields["partitions"] == [
        {
            "topic": "t",
            "partition": 0,
            "offset": 5,
            "records": 2,
            "bytes": 100,
            "error": 0,
            "high_watermark": 7,
            "log_end_offset": 9,
        }
    ]
    assert list(fields)[:10] == [
        "schema",
        "node",
        "connection",
        "client_id",
        "principal",
        "listener",
        "correlation_id",
        "api",
        "version",
        "arrived_us",
    ]
