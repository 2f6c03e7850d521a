"""Changes of the cluster on their way to one node, in order; they may be held up.

Every node has an image of its own, which is as old as the last change that reached it. Delivering a
change alters the image first and then tells the node; what the node sets off while it is told waits
its turn, so that no node hears of a change before the one that caused it is through.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol

from broker.controller.image import Broker, MetadataImage, TopicImage


class MetadataListener(Protocol):
    """A node: it makes the cluster's image come true on its disk."""

    def broker_changed(self, broker: Broker, /) -> None:
        """A node was registered, or fenced."""
        ...

    def topic_changed(self, topic: TopicImage) -> None:
        """The topic is new, or has more partitions, other leaders or other configs."""
        ...

    def topic_deleted(self, topic: TopicImage) -> None:
        """The topic is gone from the image already."""
        ...


class MetadataFeed:
    """One node's image, and what is still to reach it. Held until `release` is first called."""

    def __init__(self, image: MetadataImage, listener: MetadataListener) -> None:
        self.image = MetadataImage(image.cluster_id)
        self._listener = listener
        self._pending: deque[Callable[[], None]] = deque()
        self._held = True
        self._delivering = False
        for broker in image.brokers.values():
            self.put_broker(broker)
        for topic in image:
            self.put_topic(topic)

    def put_broker(self, broker: Broker) -> None:
        """Send word that a node was registered, or fenced."""
        self._pending.append(partial(self._broker, broker))

    def put_topic(self, topic: TopicImage) -> None:
        """Send a topic that is new, or has changed."""
        self._pending.append(partial(self._topic, topic))

    def remove_topic(self, topic: TopicImage) -> None:
        """Send word that a topic was deleted."""
        self._pending.append(partial(self._gone, topic))

    def hold(self) -> None:
        """Keep changes back from now on."""
        self._held = True

    def release(self) -> None:
        """Deliver what was kept back, and all to come."""
        self._held = False
        self.deliver()

    def deliver(self) -> None:
        """Deliver what was put, unless it is held, or being delivered further up the stack."""
        if self._delivering:
            return
        self._delivering = True
        try:
            while self._pending and not self._held:
                self._pending.popleft()()
        finally:
            self._delivering = False

    def _broker(self, broker: Broker) -> None:
        self.image.put_broker(broker)
        self._listener.broker_changed(broker)

    def _topic(self, topic: TopicImage) -> None:
        self.image.put(topic)
        self._listener.topic_changed(topic)

    def _gone(self, topic: TopicImage) -> None:
        self.image.remove(topic)
        self._listener.topic_deleted(topic)
