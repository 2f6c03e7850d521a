"""Records of committed offsets, as Apache Kafka 4.3.1 wrote them."""

from __future__ import annotations

from uuid import UUID

from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.groups.records.offsets import (
    LegacyOffsetCommitKey,
    OffsetCommitKey,
    OffsetCommitValue,
)
from broker.groups.records.serde import GROUP_RECORDS
from tests.broker.groups.records.golden import assert_written_as

TOPIC_ID = UUID("97a84971-24a4-47cb-8bac-adebab10f282")


def test_a_committed_offset() -> None:
    """Version 4, with the id of the topic as a tagged field."""
    assert_written_as(
        RawRecord(
            b"\x00\x01\x00\x05c3655\x00\x01t\x00\x00\x00\x00",
            b"\x00\x04\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x05meta"
            b"\x00\x00\x01\xa1\xfdt\xd8\xa9\x01\x00\x10" + TOPIC_ID.bytes,
        ),
        OffsetCommitKey(group="c3655", topic="t", partition=0),
        OffsetCommitValue(
            offset=5,
            leader_epoch=0,
            metadata="meta",
            commit_timestamp=1_795_253_655_721,
            topic_id=TOPIC_ID,
        ),
    )


def test_an_offset_with_its_own_retention() -> None:
    """Only version 1 has a field for it."""
    assert_written_as(
        RawRecord(
            b"\x00\x01\x00\x05c3655\x00\x01t\x00\x00\x00\x01",
            b"\x00\x01\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00"
            b"\x00\x00\x01\xa1\xfdt\xd8\xad\x00\x00\x01\xa1\xfdt\xdb\xb6",
        ),
        OffsetCommitKey(group="c3655", topic="t", partition=1),
        OffsetCommitValue(
            offset=6,
            metadata="",
            commit_timestamp=1_795_253_655_725,
            expire_timestamp=1_795_253_655_725 + 777,
        ),
    )


def test_a_deleted_offset() -> None:
    """A tombstone."""
    assert_written_as(
        RawRecord(b"\x00\x01\x00\x01g\x00\x01t\x00\x00\x00\x07", None),
        OffsetCommitKey(group="g", topic="t", partition=7),
        None,
    )


def test_an_offset_of_an_old_broker() -> None:
    """Its key has another type and its value an older version; it is read but never written."""
    raw = RawRecord(
        b"\x00\x00\x00\x01g\x00\x01t\x00\x00\x00\x07",
        b"\x00\x03\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x02\x00\x01m"
        b"\x00\x00\x00\x00\x00\x00\x00\x0a",
    )

    assert GROUP_RECORDS.deserialize(raw) == CoordinatorRecord(
        LegacyOffsetCommitKey(group="g", topic="t", partition=7),
        OffsetCommitValue(offset=9, leader_epoch=2, metadata="m", commit_timestamp=10),
    )
