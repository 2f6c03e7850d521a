"""Changes of the cluster on their way to one node, in order; they may be held up.

Every node has an image of its own, which is as old as the last change that reached it. Delivering a
change alters the image first, and then the node applies it. A change that a node causes while it
applies another is delivered after that one.

A change that takes long, such as a topic of a thousand partitions, is applied in slices; changes
after it wait. `applied` says when a node has applied what was put so far.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from types import GeneratorType
from typing import Protocol

from broker.controller.image import Broker, MetadataImage, TopicImage
from broker.quotas.entity import Entity, Quotas
from broker.steps.queue import Job, Signal, Slices, StepQueue

# What has been done when a method of the listener returns, or when its slices have run.
Applied = Slices[None] | None


class MetadataListener(Protocol):
    """A node: it makes the cluster's image come true on its disk."""

    def broker_changed(self, broker: Broker, /) -> None:
        """A node was registered, fenced, or forgotten."""
        ...

    def configs_changed(self) -> Applied:
        """The settings of this node, or of all, are others."""
        ...

    def client_quotas_changed(self) -> None:
        """What clients may use is not what it was."""
        ...

    def group_configs_changed(self, group_id: str) -> None:
        """What is set for a group is not what it was."""
        ...

    def topic_changed(self, topic: TopicImage) -> Applied:
        """The topic is new, or has more partitions, other leaders or other configs."""
        ...

    def topic_deleted(self, topic: TopicImage) -> Applied:
        """The topic is gone from the image already."""
        ...

    def delivered(self) -> None:
        """What was put has been applied; called after each change, or after many."""
        ...

    def delivery_failed(self, change: str, error: Exception) -> None:
        """One of the above has raised *error*; what it raises ends the delivery."""
        ...


class MetadataFeed:
    """One node's image, and what is still to reach it. Held until `release` is first called.

    Everything is delivered at once until ``steps`` is set, which runs the slices of long changes.
    """

    def __init__(self, image: MetadataImage, listener: MetadataListener) -> None:
        self.image = MetadataImage(image.cluster_id)
        self.steps = StepQueue(lambda: 0.0)
        self._listener = listener
        self._pending: deque[Callable[[], Applied]] = deque()
        self._held = True
        self._delivering = False
        self._delivery: Job | None = None
        self._awaited: list[Signal] = []
        for broker in image.brokers.values():
            self.put_broker(broker)
        for node, configs in image.broker_configs.items():
            self.put_configs(node, configs)
        for entity, quotas in image.client_quotas.items():
            self.put_client_quotas(entity, quotas)
        for group_id, configs in image.group_configs.items():
            self.put_group_configs(group_id, configs)
        for name, configs in image.client_metrics.items():
            self.put_client_metrics(name, configs)
        for topic in image:
            self.put_topic(topic)

    def put_broker(self, broker: Broker) -> None:
        """Send word that a node was registered, or fenced."""
        self._pending.append(partial(self._broker, broker))

    def remove_broker(self, broker: Broker) -> None:
        """Send word that a node is no longer registered."""
        self._pending.append(partial(self._broker_gone, broker))

    def put_configs(self, node: str, configs: dict[str, str]) -> None:
        """Send what is set on a node, or, under the empty name, on all of them."""
        self._pending.append(partial(self._configs, node, configs))

    def put_client_quotas(self, entity: Entity, quotas: Quotas) -> None:
        """Send what some clients may use."""
        self._pending.append(partial(self._client_quotas, entity, quotas))

    def put_group_configs(self, group_id: str, configs: dict[str, str]) -> None:
        """Send what is set for a group."""
        self._pending.append(partial(self._group_configs, group_id, configs))

    def put_client_metrics(self, name: str, configs: dict[str, str]) -> None:
        """Send what is set for a subscription of client metrics."""
        self._pending.append(partial(self.image.put_client_metrics, name, configs))

    def put_topic(self, topic: TopicImage) -> None:
        """Send a topic that is new, or has changed."""
        self._pending.append(partial(self._topic, topic))

    def remove_topic(self, topic: TopicImage) -> None:
        """Send word that a topic was deleted."""
        self._pending.append(partial(self._gone, topic))

    @property
    def lag(self) -> int:
        """How many changes have not reached the node yet."""
        return len(self._pending) - len(self._awaited)

    def hold(self) -> None:
        """Keep changes back from now on."""
        self._held = True

    def release(self) -> None:
        """Deliver what was kept back, and all to come."""
        self._held = False
        self.deliver()

    def deliver(self) -> None:
        """Deliver what was put, unless it is held, or being delivered further up the stack.

        A node that fails to act on a change keeps neither its own later changes back nor those of
        other nodes.
        """
        if self._delivering or not self._pending:
            return
        self._delivering = True
        self._delivery = self.steps.start(self._deliver(), lambda _: None)

    def applied(self) -> Signal | None:
        """Set when the node has applied what was put so far; None if it has, or if it is held."""
        if self._held or not self._delivering:
            return None
        signal = Signal()
        self._awaited.append(signal)
        self._pending.append(partial(self._reached, signal))
        return signal

    def close(self) -> None:
        """Deliver nothing more: the node has ended."""
        self._held = True
        if self._delivery is not None:
            self._delivery.cancel()
        self._pending.clear()
        awaited, self._awaited = self._awaited, []
        for signal in awaited:
            signal.set()

    def _deliver(self) -> Slices[None]:
        try:
            while self._pending and not self._held:
                change = self._pending.popleft()
                try:
                    applied = change()
                    if type(applied) is GeneratorType:
                        yield from applied
                except Exception as error:
                    self._listener.delivery_failed(f"change {change!r}", error)
                yield None
            self._listener.delivered()
        finally:
            self._delivering = False

    def _reached(self, signal: Signal) -> None:
        self._awaited.remove(signal)
        signal.set()

    def _broker(self, broker: Broker) -> None:
        self.image.put_broker(broker)
        self._listener.broker_changed(broker)

    def _broker_gone(self, broker: Broker) -> None:
        self.image.remove_broker(broker)
        self._listener.broker_changed(broker)

    def _configs(self, node: str, configs: dict[str, str]) -> Applied:
        self.image.broker_configs[node] = configs
        return self._listener.configs_changed()

    def _client_quotas(self, entity: Entity, quotas: Quotas) -> None:
        self.image.put_client_quotas(entity, quotas)
        self._listener.client_quotas_changed()

    def _group_configs(self, group_id: str, configs: dict[str, str]) -> None:
        self.image.put_group_configs(group_id, configs)
        self._listener.group_configs_changed(group_id)

    def _topic(self, topic: TopicImage) -> Applied:
        self.image.put(topic)
        return self._listener.topic_changed(topic)

    def _gone(self, topic: TopicImage) -> Applied:
        self.image.remove(topic)
        return self._listener.topic_deleted(topic)
