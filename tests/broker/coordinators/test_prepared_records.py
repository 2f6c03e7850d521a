"""Records that are encoded before they are appended."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.coordinators.prepared_records import PreparedRecords
from broker.groups.records.classic import GroupMetadataKey
from broker.groups.records.serde import GROUP_RECORDS
from broker.steps.pieces import PIECE_ITEMS
from broker.steps.queue import finish
from protocol.errors import ErrorCode

TEN_BYTES = RawRecord(bytes(10), None)
BYTES_MAX = 1000


def test_records_are_encoded_in_pieces() -> None:
    """Other tasks may run after each piece."""
    records = PreparedRecords(GROUP_RECORDS, 10_000)

    assert len(list(records.add_in_slices([TEN_BYTES] * 3 * PIECE_ITEMS))) == 3
    assert len(records.checked()) == 3 * PIECE_ITEMS


def test_nothing_is_encoded_beyond_the_maximum_size() -> None:
    """The rest of the records is not even made."""
    records = PreparedRecords(GROUP_RECORDS, BYTES_MAX)
    remaining = iter([TEN_BYTES] * 1000)
    finish(records.add_in_slices(remaining))

    assert len(list(remaining)) > 1000 - BYTES_MAX // 10
    with pytest.raises(ApiError) as refused:
        records.checked()
    assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_batch_of_the_maximum_size_is_valid() -> None:
    """``max.message.bytes`` includes the header of the batch."""
    one = PreparedRecords(GROUP_RECORDS, BYTES_MAX)
    one.add([TEN_BYTES])
    size = len(one.checked().to_batch(0))
    exact, short = (PreparedRecords(GROUP_RECORDS, limit) for limit in (size, size - 1))
    for records in (exact, short):
        records.add([TEN_BYTES])

    assert len(exact.checked()) == 1
    with pytest.raises(ApiError):
        short.checked()


def test_a_record_that_cannot_be_encoded_refuses_all() -> None:
    """Records that are added after it do not matter."""
    records = PreparedRecords(GROUP_RECORDS, BYTES_MAX)
    records.add([CoordinatorRecord(GroupMetadataKey(group="x" * 40_000))])
    records.add([TEN_BYTES])

    with pytest.raises(ApiError) as refused:
        records.checked()
    assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
