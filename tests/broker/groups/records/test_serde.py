"""Records that are not ours, and bytes that are none."""

from __future__ import annotations

import random

import pytest

from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.groups.records.offsets import OffsetCommitKey, OffsetCommitValue
from broker.groups.records.serde import GROUP_RECORDS
from protocol.codec import Malformed
from tests.protocol.random_messages import random_message

SHARE_GROUP_METADATA = b"\x00\x0b\x00\x01s"


def test_a_record_of_another_kind_of_group_is_left_out() -> None:
    """A real Kafka may have written it; nobody here would understand."""
    assert GROUP_RECORDS.deserialize(RawRecord(SHARE_GROUP_METADATA, b"\x00\x00\x01")) is None


@pytest.mark.parametrize(
    "raw",
    [
        RawRecord(b"", None),
        RawRecord(b"\x00\x02\x00\x09g", None),
        RawRecord(b"\x00\x02\x00\x01g", b""),
        RawRecord(b"\x00\x02\x00\x01g", b"\x00\x05\x00"),
        RawRecord(b"\x00\x03\x00\x01g", b"\x00\x00\x00"),
    ],
    ids=["empty key", "torn key", "empty value", "version of the future", "torn value"],
)
def test_bytes_that_are_no_record(raw: RawRecord) -> None:
    """They are told by name, never guessed at."""
    with pytest.raises(Malformed):
        GROUP_RECORDS.deserialize(raw)


@pytest.mark.parametrize("record_type", GROUP_RECORDS.types)
def test_any_record_survives_the_log(record_type: int) -> None:
    """What is written is read again, whatever its values; older versions can be read."""
    key_class, value_class = GROUP_RECORDS.types[record_type]
    rng = random.Random(record_type)
    for _ in range(20):
        key = random_message(rng, key_class, 0)
        value = random_message(rng, value_class, value_class.__spec__.versions[-1])

        read = GROUP_RECORDS.deserialize(GROUP_RECORDS.serialize(CoordinatorRecord(key, value)))

        assert read is not None
        assert read.key == key
        assert GROUP_RECORDS.serialize(read) == GROUP_RECORDS.serialize(
            CoordinatorRecord(key, value)
        )


@pytest.mark.parametrize(("expires_ms", "version"), [(-1, 4), (-2, 1), (5, 1), (-(2**63), 1)])
def test_an_offset_with_a_time_to_expire_is_written_in_version_1(
    expires_ms: int, version: int
) -> None:
    """Later versions have no room for the time, however long ago it is; -1 is none."""
    value = OffsetCommitValue(
        offset=1, metadata="", commit_timestamp=0, expire_timestamp=expires_ms
    )
    raw = GROUP_RECORDS.serialize(
        CoordinatorRecord(OffsetCommitKey(group="g", topic="t", partition=0), value)
    )

    assert raw.value is not None
    assert int.from_bytes(raw.value[:2]) == version
    read = GROUP_RECORDS.deserialize(raw)
    assert read is not None
    assert read.value.expire_timestamp == expires_ms
