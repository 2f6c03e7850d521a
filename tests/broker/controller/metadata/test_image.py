"""The image of the cluster."""

from __future__ import annotations

from functools import partial
from uuid import uuid4

from broker.controller.metadata.image import (
    Broker,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)


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


def test_the_revision_changes_when_a_topic_or_a_node_may_be_missing() -> None:
    """Until then what was found in the image can still be found."""
    image, topic = MetadataImage("cluster"), _topic("orders")
    node = Broker(1, "127.0.0.1", 9092, 7)
    revisions = [image.revision]

    for change in (
        partial(image.put, topic),
        partial(image.put_broker, node),
        partial(image.remove, topic),
        partial(image.remove_broker, node),
    ):
        change()
        revisions.append(image.revision)

    assert revisions == [0, 0, 1, 2, 3]
