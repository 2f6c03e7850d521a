"""The image of the cluster."""

from __future__ import annotations

from uuid import uuid4

from broker.controller.metadata.image import MetadataImage, PartitionRegistration, TopicImage


def _topic(name: str) -> TopicImage:
    return TopicImage(name, uuid4(), {}, (PartitionRegistration((1,), (1,), 1),))


def test_a_topic_is_found_by_name_and_by_id() -> None:
    """Both return the same topic."""
    image, topic = MetadataImage("cluster"), _topic("orders")

    image.put(topic)

    assert image.topic("orders") is topic
    assert image.topic_by_id(topic.topic_id) is topic


def test_an_old_id_does_not_find_a_recreated_topic() -> None:
    """A recreated topic has another id (KIP-516)."""
    image, old, new = MetadataImage("cluster"), _topic("orders"), _topic("orders")
    image.put(old)
    image.remove(old)

    image.put(new)

    assert image.topic_by_id(old.topic_id) is None
    assert image.topic("orders") is new
