"""The names of partitions' folders: `broker.storage.partition_folders`."""

from __future__ import annotations

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.partition_folders import DELETED, STRAY, aside, partition_of


@pytest.mark.parametrize("key", [TopicPartition("orders", 0), TopicPartition("with-1.a_b", 120)])
def test_a_folder_tells_its_partition(key: TopicPartition) -> None:
    """Topics may have dashes and numbers, too."""
    assert partition_of(str(key)) == key


@pytest.mark.parametrize("name", ["lost+found", "-1", "orders", "orders-", "orders-01", "orders-x"])
def test_other_names_are_no_partitions(name: str) -> None:
    """Only a name that Kafka would give."""
    assert partition_of(name) is None


def test_what_is_set_aside_is_no_partition_any_more() -> None:
    """Its name is free, and no two are alike."""
    key = TopicPartition("orders", 3)
    first, second = aside(key, DELETED), aside(key, DELETED)
    assert first != second
    assert first.startswith("orders-3.")
    assert first.endswith("-delete")
    assert partition_of(first) is None
    assert aside(key, STRAY).endswith("-stray")


def test_the_longest_topic_can_be_set_aside() -> None:
    """The topic is cut, as Kafka does: no file system takes more than 255 bytes."""
    name = aside(TopicPartition("t" * 249, 12), DELETED)
    assert len(name) == 255
    assert "t-12." in name
