"""The generator of wait records for tests."""

from __future__ import annotations

import json

from tests.pipeline.wait_records import json_lines, wait_records

NAMES = (
    "schema node connection client_id principal listener correlation_id api version arrived_us"
    " queued_us local_us parked_us send_us total_us purgatory waited_for timeout_ms checks"
    " completed_by earlier_waits stalled_by throttle muted_by fault partitions error"
)
FIELDS = NAMES.split()


def test_a_seed_determines_the_records() -> None:
    """The same seed makes equal bytes; another seed makes other records."""
    made = json_lines(wait_records(300, seed=7))

    assert made == json_lines(wait_records(300, seed=7))
    assert made != json_lines(wait_records(300, seed=8))


def test_a_record_has_all_fields() -> None:
    """The phases of a record add up to its total."""
    for record in map(json.loads, json_lines(wait_records(500)).splitlines()):
        assert list(record) == FIELDS
        phases = [record[f"{name}_us"] for name in ("queued", "local", "parked", "send")]
        assert sum(phases) == record["total_us"]
        assert (record["parked_us"] > 0) <= (record["purgatory"] is not None)


def test_records_are_delivered_once_in_order() -> None:
    """The fetches of a partition return the produced offsets without gaps."""
    records = wait_records(2_000)
    read = [
        (place["offset"], place["records"])
        for record in records
        if record["api"] == "Fetch"
        for place in record["partitions"]
        if (place["topic"], place["partition"]) == ("orders", 0) and place["records"]
    ]

    position = 0
    for offset, count in sorted(read):
        assert offset == position
        position += count
    assert position > 1_000
