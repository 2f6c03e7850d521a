"""The sorted set of the partitions of a transaction."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from broker.common.topic_partition import TopicPartition
from broker.transactions import transaction_partitions
from broker.transactions.transaction_partitions import TransactionPartitions
from protocol.codec import encode

A0, A2, A10 = (TopicPartition("a", index) for index in (0, 2, 10))
B0, B1 = (TopicPartition("b", index) for index in (0, 1))


@pytest.fixture
def encoded_topics(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each topic was encoded."""
    counts: Counter[str] = Counter()

    def counting(value: Any, version: int) -> bytes:
        counts[value.topic] += 1
        return encode(value, version)

    monkeypatch.setattr(transaction_partitions, "encode", counting)
    return counts


def test_partitions_are_sorted() -> None:
    """By topic, then by number, also after additions."""
    made = TransactionPartitions([B0, A10]).with_added([A2]).with_added([B1, A0])

    assert list(made) == [A0, A2, A10, B0, B1]


def test_an_addition_changes_no_other_value() -> None:
    """The value before is still compared with the one after it."""
    before = TransactionPartitions([A0])
    after = before.with_added([A2, B0])

    assert list(before) == [A0]
    assert before <= after
    assert not after <= before


def test_a_partition_counts_once() -> None:
    """A client may add it again."""
    made = TransactionPartitions([A0, A0]).with_added([A0, B0])

    assert len(made) == 2
    assert set(made) == {A0, B0}


def test_a_topic_has_only_its_own_partitions() -> None:
    """Neither another number nor another topic is in the set."""
    made = TransactionPartitions([A0])

    assert A0 in made
    assert A2 not in made
    assert B0 not in made


@pytest.mark.parametrize("other", [[], [A0], [A2, B0], [A0, B1]])
def test_a_set_without_one_of_the_partitions_is_no_superset(other: list[TopicPartition]) -> None:
    """Partitions of one topic are compared if the topics differ."""
    made = TransactionPartitions([A0, B0])

    assert not made <= TransactionPartitions(other)
    assert made != TransactionPartitions(other)


def test_equal_sets_are_equal_however_they_grew() -> None:
    """And so are their hashes."""
    made = TransactionPartitions([A0]).with_added([B0])

    assert made == TransactionPartitions([B0, A0])
    assert hash(made) == hash(TransactionPartitions([B0, A0]))


def test_an_addition_encodes_only_the_topics_that_it_changes(encoded_topics: Counter[str]) -> None:
    """The bytes of the other topics are those of the record before."""
    before = TransactionPartitions([A0, B0])
    before.encoded(1)
    after = before.with_added([A2])
    after.encoded(1)

    assert encoded_topics == {"a": 2, "b": 1}


def test_topics_are_encoded_again_for_another_version(encoded_topics: Counter[str]) -> None:
    """``transaction.version`` may change between two records."""
    made = TransactionPartitions([A0])

    assert made.encoded(0) == [bytes.fromhex("0001 61 00000001 00000000")]
    assert made.encoded(1) == [bytes.fromhex("02 61 02 00000000 00")]
    assert encoded_topics == {"a": 2}
