"""The delivery of changes to a node."""

from __future__ import annotations

from uuid import uuid4

from broker.controller.feeds.feed import MetadataFeed
from broker.controller.metadata.image import (
    Broker,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from broker.quotas.entity import Entity, Quotas


class Listener:
    """Records the changes, and the topics of its image at that time."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.level_changes = 0

    def broker_changed(self, broker: Broker) -> None:
        self.heard.append(f"node {broker.node_id}")

    def configs_changed(self) -> None:
        self.heard.append("configs")

    def client_quotas_changed(self, entity: Entity, quotas: Quotas) -> None:
        ((_, name),) = entity
        self.heard.append(f"{len(quotas)} quotas of {name}")

    def feature_levels_changed(self) -> None:
        self.level_changes += 1

    def group_configs_changed(self, group_id: str) -> None:
        self.heard.append(f"settings of {group_id}")

    def delivered(self) -> None:
        pass

    def delivery_failed(self, change: str, error: Exception) -> None:
        """No change may fail here."""
        raise error

    def topic_changed(self, topic: TopicImage) -> None:
        self.heard.append(f"+{topic.name}")

    def topic_deleted(self, topic: TopicImage) -> None:
        self.heard.append(f"-{topic.name}")


def _topic(name: str) -> TopicImage:
    return TopicImage(name, uuid4(), {}, (PartitionRegistration((1,), (1,), 1),))


def _image() -> MetadataImage:
    image = MetadataImage("cluster")
    image.put_broker(Broker(1, "h", 1))
    image.put(_topic("old"))
    return image


def test_the_first_release_delivers_the_present_state() -> None:
    """Not before, since the node is not ready."""
    listener = Listener()
    feed = MetadataFeed(_image(), listener)

    feed.deliver()
    before = list(listener.heard)
    feed.release()

    assert before == []
    assert listener.heard == ["node 1", "+old"]
    assert feed.image.topic("old") is not None


def test_a_held_feed_delays_changes_in_order() -> None:
    """The image is as old as the last delivered change."""
    listener = Listener()
    feed = MetadataFeed(_image(), listener)
    feed.release()
    feed.hold()
    new = _topic("new")

    feed.put_topic(new)
    feed.remove_topic(new)
    feed.deliver()
    held = feed.image.topic("new"), list(listener.heard)
    feed.release()

    assert held == (None, ["node 1", "+old"])
    assert listener.heard == ["node 1", "+old", "+new", "-new"]


def test_levels_of_features_are_delivered() -> None:
    """They are in the image before the call."""
    listener = Listener()
    feed = MetadataFeed(_image(), listener)
    feed.release()
    before = listener.level_changes

    feed.put_feature_levels({"share.version": 0})
    feed.deliver()

    assert feed.image.feature_level("share.version") == 0
    assert listener.level_changes == before + 1


def test_settings_of_groups_are_delivered() -> None:
    """An empty mapping removes them."""
    image, listener = _image(), Listener()
    image.put_group_configs("g", {"consumer.session.timeout.ms": "50000"})
    feed = MetadataFeed(image, listener)
    feed.release()
    known = dict(feed.image.group_configs)

    feed.put_group_configs("g", {})
    feed.deliver()

    assert known == {"g": {"consumer.session.timeout.ms": "50000"}}
    assert feed.image.group_configs == {}
    assert listener.heard == ["node 1", "settings of g", "+old", "settings of g"]


def test_an_unregistered_node_is_removed_from_the_image() -> None:
    """The listener is called as for other changes of a node."""
    listener = Listener()
    feed = MetadataFeed(_image(), listener)

    feed.remove_broker(Broker(1, "h", 1))
    feed.release()

    assert listener.heard == ["node 1", "+old", "node 1"]
    assert feed.image.brokers == {}


def test_a_change_caused_by_a_listener_is_delivered_after_it() -> None:
    """Not inside the delivery of the first change."""
    order: list[str] = []

    class Chain(Listener):
        def topic_changed(self, topic: TopicImage) -> None:
            order.append(f"begin {topic.name}")
            if topic.name == "first":
                feed.put_topic(_topic("second"))
                feed.deliver()
            order.append(f"end {topic.name}")

    feed = MetadataFeed(MetadataImage("cluster"), Chain())
    feed.release()
    feed.put_topic(_topic("first"))
    feed.deliver()

    assert order == ["begin first", "end first", "begin second", "end second"]


def test_settings_are_in_the_image_before_the_call() -> None:
    """The listener reads them there."""
    listener = Listener()
    image = _image()
    image.broker_configs["1"] = {"log.retention.ms": "1"}
    feed = MetadataFeed(image, listener)

    feed.put_configs("", {"log.retention.ms": "2"})
    feed.release()

    assert feed.image.broker_configs == {
        "1": {"log.retention.ms": "1"},
        "": {"log.retention.ms": "2"},
    }
    assert listener.heard == ["node 1", "configs", "+old", "configs"]


def test_changed_quotas_are_in_the_image_before_the_call() -> None:
    """Present and later ones, an entity at a time; an empty mapping removes it."""
    listener, image = Listener(), _image()
    old, new = (("user", "old"),), (("user", "new"),)
    image.client_quotas[old] = {"producer_byte_rate": 1.0}
    feed = MetadataFeed(image, listener)

    feed.put_client_quotas(new, {"producer_byte_rate": 2.0})
    feed.put_client_quotas(old, {})
    feed.release()

    assert feed.image.client_quotas == {new: {"producer_byte_rate": 2.0}}
    assert listener.heard == [
        "node 1",
        "1 quotas of old",
        "+old",
        "1 quotas of new",
        "0 quotas of old",
    ]
