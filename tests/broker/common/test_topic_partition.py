"""Names of partitions."""

from __future__ import annotations

from broker.common.topic_partition import TopicPartition, by_topic


def test_the_name_of_a_partition_is_that_of_its_folder() -> None:
    """As in Kafka's data directories."""
    assert str(TopicPartition("orders", 3)) == "orders-3"


def test_partitions_are_grouped_by_topic() -> None:
    """Topics and indexes keep the order in which they were given."""
    partitions = [TopicPartition("b", 2), TopicPartition("a", 1), TopicPartition("b", 0)]

    assert list(by_topic(partitions).items()) == [("b", [2, 0]), ("a", [1])]


def test_no_partitions_have_no_topics() -> None:
    """The result is empty."""
    assert by_topic([]) == {}
