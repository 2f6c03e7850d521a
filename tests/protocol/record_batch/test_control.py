"""Tests of control batches: `protocol.record_batch.control`."""

from __future__ import annotations

import pytest

from protocol.record_batch.batch import build_batch, records
from protocol.record_batch.control import (
    ControlRecordType,
    EndTxnMarker,
    build_end_txn_marker,
    end_txn_marker,
)
from protocol.record_batch.header import CONTROL_BIT, read_header
from protocol.record_batch.record import Record


def built(marker: EndTxnMarker) -> bytes:
    return build_end_txn_marker(
        marker, producer_id=7, producer_epoch=2, timestamp=1000, base_offset=30
    )


@pytest.mark.parametrize("is_abort", [True, False])
def test_a_marker_is_decoded_as_it_was_encoded(is_abort: bool) -> None:
    """The outcome and the coordinator epoch are in the record."""
    marker = EndTxnMarker(is_abort, coordinator_epoch=3)
    assert end_txn_marker(built(marker)) == marker


def test_a_marker_has_the_bytes_of_kafkas_format() -> None:
    """The key is version 0 and type, the value version 0 and coordinator epoch."""
    (record,) = records(built(EndTxnMarker(is_abort=False, coordinator_epoch=3)))
    assert (record.key, record.value) == (b"\0\0\0\1", b"\0\0\0\0\0\3")
    (record,) = records(built(EndTxnMarker(is_abort=True, coordinator_epoch=3)))
    assert record.key == b"\0\0\0\0"


def test_the_header_of_a_marker_names_the_producer() -> None:
    """The batch is a transactional control batch without sequence number."""
    header = read_header(built(EndTxnMarker(is_abort=True, coordinator_epoch=3)))
    assert header.is_control
    assert header.is_transactional
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 2, -1)
    assert (header.base_offset, header.records_count, header.max_timestamp) == (30, 1, 1000)


def test_other_control_batches_have_no_marker() -> None:
    """A leader change, a key that is too short, and a value that is too short give None."""
    leader_change = bytes((0, 0, 0, ControlRecordType.LEADER_CHANGE))
    for record in (
        Record(leader_change, bytes(6)),
        Record(b"k", bytes(6)),
        Record(bytes(4), None),
    ):
        assert end_txn_marker(build_batch([record], attributes=CONTROL_BIT)) is None
