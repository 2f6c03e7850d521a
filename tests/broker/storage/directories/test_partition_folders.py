"""Tests of the names of partitions' directories: `broker.storage.directories.partition_folders`."""

from __future__ import annotations

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.directories.partition_folders import DELETED, STRAY, aside, partition_of


@pytest.mark.parametrize("key", [TopicPartition("orders", 0), TopicPartition("with-1.a_b", 120)])
def test_a_directory_name_has_the_partition(key: TopicPartition) -> None:
    """Topics may have dashes and digits."""
    assert partition_of(str(key)) == key


@pytest.mark.parametrize("name", ["lost+found", "-1", "orders", "orders-", "orders-01", "orders-x"])
def test_other_names_are_not_partitions(name: str) -> None:
    """Only names that Kafka uses."""
    assert partition_of(name) is None


def test_a_renamed_directory_is_not_a_partition() -> None:
    """The new names are unique."""
    key = TopicPartition("orders", 3)
    first, second = aside(key, DELETED), aside(key, DELETED)
    assert first != second
    assert first.startswith("orders-3.")
    assert first.endswith("-delete")
    assert partition_of(first) is None
    assert aside(key, STRAY).endswith("-stray")


def test_the_name_of_a_long_topic_is_cut() -> None:
    """As in Kafka: file systems allow at most 255 bytes."""
    name = aside(TopicPartition("t" * 249, 12), DELETED)
    assert len(name) == 255
    assert "t-12." in name
