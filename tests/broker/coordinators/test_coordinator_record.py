"""Serialized records (mirrors ``CoordinatorRecordSerdeTest``); the types are those of groups."""

from __future__ import annotations

import random

import pytest

from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.groups.records.serde import GROUP_RECORDS
from protocol.codec import Malformed
from tests.protocol.random_messages import random_message

UNKNOWN_TYPE = b"\x7f\x00\x00\x01g"


def test_a_record_of_an_unknown_type_is_ignored() -> None:
    """A newer Kafka may have written it."""
    assert GROUP_RECORDS.deserialize(RawRecord(UNKNOWN_TYPE, b"\x00\x00\x01")) is None


@pytest.mark.parametrize(
    "raw",
    [
        RawRecord(b"", None),
        RawRecord(b"\x00\x02\x00\x09g", None),
        RawRecord(b"\x00\x02\x00\x01g", b""),
        RawRecord(b"\x00\x02\x00\x01g", b"\x00\x05\x00"),
        RawRecord(b"\x00\x03\x00\x01g", b"\x00\x00\x00"),
    ],
    ids=["empty key", "truncated key", "empty value", "unknown version", "truncated value"],
)
def test_bytes_that_are_not_a_record_are_malformed(raw: RawRecord) -> None:
    """Mirrors testDeserializeWithInvalidRecordType and the tests after it."""
    with pytest.raises(Malformed):
        GROUP_RECORDS.deserialize(raw)


@pytest.mark.parametrize("record_type", GROUP_RECORDS.types)
def test_a_serialized_record_is_deserialized_to_an_equal_one(record_type: int) -> None:
    """For any values of the fields, with the version in which the value is written."""
    key_class, value_class = GROUP_RECORDS.types[record_type]
    rng = random.Random(record_type)
    for _ in range(20):
        key = random_message(rng, key_class, 0)
        value = random_message(rng, value_class, value_class.__spec__.versions[-1])
        raw = GROUP_RECORDS.serialize(CoordinatorRecord(key, value))

        read = GROUP_RECORDS.deserialize(raw)

        assert read is not None
        assert read.key == key
        assert GROUP_RECORDS.serialize(read) == raw
