"""Both ways between a record and the bytes that Apache Kafka 4.3.1 wrote for it."""

from __future__ import annotations

from typing import Any

from broker.groups.records.serde import RawRecord, Record, deserialize, serialize


def assert_written_as(raw: RawRecord, key: Any, value: Any) -> None:
    """These bytes are this record, and this record becomes these bytes."""
    assert deserialize(raw) == Record(key, value)
    assert serialize(Record(key, value)) == raw
