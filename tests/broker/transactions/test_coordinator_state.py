"""The transactional ids that the records of a partition add up to."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from broker.coordinators.coordinator_record import RawRecord
from broker.transactions.coordinator_state import CoordinatorState
from broker.transactions.log_records import tombstone, transaction_record
from protocol.codec import Malformed
from tests.broker.transactions.test_log_records import EMPTY, V1


def loaded(*records: RawRecord) -> CoordinatorState:
    """The state after these records."""
    state = CoordinatorState(V1)
    for record in records:
        state.load(record, 0)
    return state


def test_the_last_record_of_an_id_determines_its_value() -> None:
    """Earlier ones may still be there, because compaction runs later."""
    later = replace(EMPTY, producer_epoch=1)

    state = loaded(*(V1.serialize(transaction_record("id", value, 2)) for value in (EMPTY, later)))

    assert state.entries["id"].value == later
    assert state.entries["id"].pending is None


def test_a_tombstone_removes_an_id() -> None:
    """A tombstone of an unknown id has no effect."""
    records = [transaction_record("id", EMPTY, 2), tombstone("id"), tombstone("other")]

    assert not loaded(*map(V1.serialize, records)).entries


@pytest.mark.parametrize(
    "record",
    [
        RawRecord(b"\0\1\0\2id", b"\0\1"),
        RawRecord(b"\0\0\0\2id", b"\0\2"),
        RawRecord(b"\0\1", None),
    ],
    ids=["key", "value", "tombstone"],
)
def test_a_record_of_an_unknown_version_is_skipped_with_a_warning(
    record: RawRecord, caplog: pytest.LogCaptureFixture
) -> None:
    """A newer broker may have written it."""
    with caplog.at_level(logging.WARNING):
        state = loaded(record, V1.serialize(transaction_record("id", EMPTY, 2)))

    assert list(state.entries) == ["id"]
    assert len(caplog.records) == 1


def test_an_unknown_state_is_malformed() -> None:
    """The byte of the state is behind the producer id, the epoch and the timeout."""
    raw = V1.serialize(transaction_record("id", EMPTY, 2))
    assert raw.value is not None
    value = bytearray(raw.value)
    value[16] = 9

    with pytest.raises(Malformed, match="9"):
        loaded(RawRecord(raw.key, bytes(value)))
