"""Records of ``__share_group_state``, as Apache Kafka 4.3.1 wrote them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.share_coordinator.records import (
    ShareSnapshotKey,
    ShareSnapshotValue,
    ShareUpdateKey,
    ShareUpdateValue,
)
from broker.share_coordinator.serde import SHARE_STATE_RECORDS
from protocol.messages.read_share_group_state import StateBatch

T_ID = UUID("28eba07e-ccd4-4a6a-a423-1e62ed315b5e")
SHARE_PARTITION = b"\x00\x02g1" + T_ID.bytes + b"\x00\x00\x00\x00"
SNAPSHOT_KEY = ShareSnapshotKey(group_id="g1", topic_id=T_ID, partition=0)
UPDATE_KEY = ShareUpdateKey(group_id="g1", topic_id=T_ID, partition=0)

WRITTEN_BY_KAFKA: dict[str, tuple[RawRecord, Any, Any]] = {
    "the snapshot of an initialized state": (
        RawRecord(
            b"\x00\x00" + SHARE_PARTITION,
            b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00"
            b"\xff\xff\xff\xff\xff\xff\xff\xff"
            b"\x00\x00\x01\xa2\x07<\xe5\x8b\x00\x00\x01\xa2\x07<\xe5\x8b\x01\x00",
        ),
        SNAPSHOT_KEY,
        ShareSnapshotValue(
            snapshot_epoch=0,
            state_epoch=2,
            leader_epoch=0,
            start_offset=-1,
            create_timestamp=1_795_417_761_163,
            write_timestamp=1_795_417_761_163,
            state_batches=[],
        ),
    ),
    "an update with a number of completed deliveries": (
        RawRecord(
            b"\x00\x01" + SHARE_PARTITION,
            b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x03"
            b"\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\t\x00\x00\x01\x00"
            b"\x00\x00\x00\x00\x00\x00\x00\n\x00\x00\x00\x00\x00\x00\x00\x0e\x02\x00\x01\x00"
            b"\x01\x00\x04\x00\x00\x00\x03",
        ),
        UPDATE_KEY,
        ShareUpdateValue(
            snapshot_epoch=0,
            leader_epoch=0,
            start_offset=5,
            delivery_complete_count=3,
            state_batches=[
                StateBatch(first_offset=5, last_offset=9, delivery_state=0, delivery_count=1),
                StateBatch(first_offset=10, last_offset=14, delivery_state=2, delivery_count=1),
            ],
        ),
    ),
    "an update without one": (
        RawRecord(
            b"\x00\x01" + SHARE_PARTITION,
            b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x05\x01\x00",
        ),
        UPDATE_KEY,
        ShareUpdateValue(snapshot_epoch=0, leader_epoch=3, start_offset=5, state_batches=[]),
    ),
    "a deleted state": (RawRecord(b"\x00\x00" + SHARE_PARTITION, None), SNAPSHOT_KEY, None),
}


@pytest.mark.parametrize("what", WRITTEN_BY_KAFKA)
def test_records_of_share_partitions(what: str) -> None:
    """The bytes are equal in both directions."""
    raw, key, value = WRITTEN_BY_KAFKA[what]

    assert SHARE_STATE_RECORDS.deserialize(raw) == CoordinatorRecord(key, value)
    assert SHARE_STATE_RECORDS.serialize(CoordinatorRecord(key, value)) == raw
