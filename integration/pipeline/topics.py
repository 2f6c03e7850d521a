"""Writes lines of text to the topics of any broker."""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic


def make(bootstrap: str, topic: str, partitions: int = 1) -> None:
    """Create a new, empty topic."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(60)


def fill(bootstrap: str, topic: str, lines: Sequence[str]) -> None:
    """Append each line as a record, to all partitions alternately."""
    producer = Producer({"bootstrap.servers": bootstrap, "partitioner": "random"})
    for line in lines:
        producer.produce(topic, line.encode())
        producer.poll(0)
    assert producer.flush(60) == 0
