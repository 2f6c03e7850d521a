"""Records of ``__transaction_state``, compared with bytes that Kafka 4.3.1 has written."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.transactions.log_records import (
    TransactionLogValue,
    tombstone,
    transaction_record,
    transaction_records,
    value_of,
)
from broker.transactions.metadata import TransactionValue
from broker.transactions.transaction_partitions import TransactionPartitions
from broker.transactions.transaction_state import TransactionState
from protocol.errors import ErrorCode

V1 = transaction_records(lambda: 2)
V0 = transaction_records(lambda: 0)
EMPTY = TransactionValue(
    producer_id=1,
    producer_epoch=0,
    prev_producer_id=1,
    timeout_ms=60_000,
    state=TransactionState.EMPTY,
    last_update_ms=0x1A200FF2EDB,
)
PREPARE_COMMIT = TransactionValue(
    producer_id=1,
    producer_epoch=0,
    prev_producer_id=1,
    timeout_ms=60_000,
    state=TransactionState.PREPARE_COMMIT,
    partitions=TransactionPartitions({TopicPartition("a", 0)}),
    start_ms=0x1A200FF31CE,
    last_update_ms=0x1A200FF37EB,
)


def _logged(value: TransactionValue) -> TransactionLogValue:
    """The value of the record, read from its bytes."""
    record = V1.deserialize(V1.serialize(transaction_record("id", value, 2)))
    assert record is not None
    assert isinstance(record.value, TransactionLogValue)
    return record.value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (
            EMPTY,
            (
                "0001 0000000000000001 0000 0000ea60 00 00 000001a200ff2edb ffffffffffffffff"
                "01 00 08 0000000000000001"
            ),
        ),
        (
            PREPARE_COMMIT,
            (
                "0001 0000000000000001 0000 0000ea60 02 02 0261 02 00000000 00 000001a200ff37eb"
                "000001a200ff31ce 01 00 08 0000000000000001"
            ),
        ),
    ],
    ids=["Empty", "PrepareCommit"],
)
def test_values_have_kafkas_bytes(value: TransactionValue, written: str) -> None:
    """In version 1, with the previous producer id as a tagged field."""
    raw = V1.serialize(transaction_record("id", value, 2))

    assert raw.value == bytes.fromhex(written)
    record = V1.deserialize(raw)
    assert record is not None
    assert value_of(record.value) == value


def test_the_key_is_a_version_and_the_id() -> None:
    """The text has a length of two bytes; a tombstone has no value."""
    raw = V1.serialize(tombstone("id"))

    assert (raw.key, raw.value) == (bytes.fromhex("0000 0002") + b"id", None)


def test_version_0_has_no_tagged_fields() -> None:
    """It is written while ``transaction.version`` is 0."""
    raw = V0.serialize(transaction_record("id", PREPARE_COMMIT, 0))

    assert raw.value == bytes.fromhex(
        "0000 0000000000000001 0000 0000ea60 02 00000001 000161"
        "00000001 00000000 000001a200ff37eb 000001a200ff31ce"
    )


def test_version_0_cannot_contain_a_client_version() -> None:
    """So a request of protocol 2 fails while ``transaction.version`` is 0."""
    value = TransactionValue(
        producer_id=1,
        producer_epoch=0,
        timeout_ms=1,
        state=TransactionState.ONGOING,
        last_update_ms=1,
        client_transaction_version=2,
    )

    with pytest.raises(ApiError) as refused:
        V0.serialize(transaction_record("id", value, 0))
    assert refused.value.code is ErrorCode.UNSUPPORTED_VERSION


@pytest.mark.parametrize("state", [s for s in TransactionState if s is not TransactionState.EMPTY])
def test_only_an_empty_transaction_has_a_null_list(state: TransactionState) -> None:
    """A completed one has an empty list."""
    value = TransactionValue(
        producer_id=1, producer_epoch=0, timeout_ms=1, state=state, last_update_ms=1
    )

    logged = _logged(value)

    assert logged.transaction_partitions == []


def test_partitions_are_grouped_by_topic() -> None:
    """And sorted, so that equal states have equal bytes."""
    keys = TransactionPartitions(TopicPartition(topic, index) for topic in "ba" for index in (2, 0))
    value = TransactionValue(
        producer_id=1,
        producer_epoch=0,
        next_producer_id=7,
        timeout_ms=1,
        state=TransactionState.ONGOING,
        partitions=keys,
        last_update_ms=1,
        client_transaction_version=2,
    )

    logged = _logged(value)

    assert [(each.topic, each.partition_ids) for each in logged.transaction_partitions or ()] == [
        ("a", [0, 2]),
        ("b", [0, 2]),
    ]
    assert value_of(logged) == value
