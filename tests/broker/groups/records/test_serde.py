"""The versions in which records of groups are written."""

from __future__ import annotations

import pytest

from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.records.offsets import OffsetCommitKey, OffsetCommitValue
from broker.groups.records.serde import GROUP_RECORDS


@pytest.mark.parametrize(("expires_ms", "version"), [(-1, 4), (-2, 1), (5, 1), (-(2**63), 1)])
def test_an_offset_with_an_expire_timestamp_is_written_in_version_1(
    expires_ms: int, version: int
) -> None:
    """Later versions have no field for it; -1 is no timestamp."""
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
