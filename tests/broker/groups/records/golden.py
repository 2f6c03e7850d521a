"""Compares a record with the bytes that Apache Kafka 4.3.1 wrote for it, in both directions."""

from __future__ import annotations

from typing import Any

from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.groups.records.serde import GROUP_RECORDS


def assert_written_as(raw: RawRecord, key: Any, value: Any) -> None:
    """Assert that *raw* deserializes to the record and the record serializes to *raw*."""
    assert GROUP_RECORDS.deserialize(raw) == CoordinatorRecord(key, value)
    assert GROUP_RECORDS.serialize(CoordinatorRecord(key, value)) == raw
