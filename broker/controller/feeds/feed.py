"""Delivers the changes of the cluster to one node, in order, and may delay them.

Every node has its own image, which is as old as the last change delivered to it. A delivery first
changes the image, and then the node applies it. A change that a node causes while it applies
another one is delivered after that one.

A long change, such as a topic of a thousand partitions, is applied in slices, and later changes
wait. `applied` returns when a node has applied all changes so far. (Kafka: ``MetadataLoader``,
whose ``MetadataPublisher`` is the listener here.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from broker.controller.database.security_changes import SecurityChange, changes_to
from broker.controller.feeds.metadata_route import MetadataRoute
from broker.controller.metadata.image import Broker, MetadataImage, TopicImage
from broker.quotas.entity import Entity, Quotas
from broker.steps.queue import Job, Signal, Slices, StepQueue, are_slices

# None if a method of the listener has applied the change, else the slices that apply it.
Applied = Slices[None] | None
Change = Callable[[], Applied]


class MetadataListener(Protocol):
    """A node, which applies the metadata to its replicas."""

    def broker_changed(self, broker: Broker, /) -> None:
        """A node was registered, fenced, or removed."""
        ...

    def configs_changed(self) -> Applied:
        """The dynamic settings of this node or of all nodes have changed."""
        ...

    def client_quotas_changed(self, entity: Entity, quotas: Quotas, /) -> None:
        """The quotas of an entity have changed; it has no others."""
        ...

    def feature_levels_changed(self) -> None:
        """The levels of features have changed."""
        ...

    def group_configs_changed(self, group_id: str) -> None:
        """The settings of a group have changed."""
        ...

    def topic_changed(self, topic: TopicImage) -> Applied:
        """The topic is new, or its partitions, leaders or configs have changed."""
        ...

    def topic_deleted(self, topic: TopicImage) -> Applied:
        """The topic was deleted and is no longer in the image."""
        ...

    def delivered(self) -> None:
        """Changes have been applied; called after each change, or after several."""
        ...

    def delivery_failed(self, change: str, error: Exception) -> None:
        """A method of the listener has raised *error*; an exception from here ends the delivery."""
        ...


class MetadataFeed:
    """The image of a node and the changes to deliver; held until the first `release`.

    Changes are delivered in one step until ``steps`` is set, which runs long changes in slices.
    """

    def __init__(self, image: MetadataImage, listener: MetadataListener) -> None:
        self.image = MetadataImage(image.cluster_id)
        self.steps = StepQueue(lambda: 0.0)
        self._listener = listener
        self._route: MetadataRoute | None = None
        self._in_transit = 0
        self._is_closed = False
        self._pending: deque[Change] = deque()
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
        self.put_feature_levels(image.feature_levels)
        for change in changes_to(image):
            self.put_security(change)
        for topic in image:
            self.put_topic(topic)

    def arrive_by(self, route: MetadataRoute) -> None:
        """Deliver later changes when *route* has carried them."""
        self._route = route

    def _put(self, change: Change) -> None:
        """Add a change, now or when it arrives."""
        route = self._route
        if route is None or not route.is_faulty or route.carry(partial(self._arrive, change)):
            self._pending.append(change)
        else:
            self._in_transit += 1

    def _arrive(self, change: Change) -> None:
        if not self._is_closed:
            self._in_transit -= 1
            self._pending.append(change)
            self.deliver()

    def put_broker(self, broker: Broker) -> None:
        """Add a change: a node was registered or fenced."""
        self._put(partial(self._broker, broker))

    def remove_broker(self, broker: Broker) -> None:
        """Add a change: a node is no longer registered."""
        self._put(partial(self._broker_gone, broker))

    def put_configs(self, node: str, configs: dict[str, str]) -> None:
        """Add a change: the settings of a node or, under the empty name, of all nodes."""
        self._put(partial(self._configs, node, configs))

    def put_client_quotas(self, entity: Entity, quotas: Quotas) -> None:
        """Add a change: the quotas of an entity."""
        self._put(partial(self._client_quotas, entity, quotas))

    def put_group_configs(self, group_id: str, configs: dict[str, str]) -> None:
        """Add a change: the settings of a group."""
        self._put(partial(self._group_configs, group_id, configs))

    def put_client_metrics(self, name: str, configs: dict[str, str]) -> None:
        """Add a change: the settings of a client metrics subscription."""
        self._put(partial(self.image.put_client_metrics, name, configs))

    def put_feature_levels(self, levels: Mapping[str, int]) -> None:
        """Add a change: the levels of these features."""
        self._put(partial(self._feature_levels, dict(levels)))

    def put_security(self, change: SecurityChange) -> None:
        """Add a change of ACLs or credentials."""
        self._put(partial(change.apply, self.image))

    def put_topic(self, topic: TopicImage) -> None:
        """Add a change: a topic is new or has changed."""
        self._put(partial(self._topic, topic))

    def remove_topic(self, topic: TopicImage) -> None:
        """Add a change: a topic was deleted."""
        self._put(partial(self._gone, topic))

    @property
    def lag(self) -> int:
        """The number of changes that the node has not received yet."""
        return len(self._pending) + self._in_transit - len(self._awaited)

    def hold(self) -> None:
        """Delay changes from now on."""
        self._held = True

    def release(self) -> None:
        """Deliver the delayed changes and later ones."""
        self._held = False
        self.deliver()

    def deliver(self) -> None:
        """Deliver the changes, unless they are held or a delivery is in progress.

        If a node fails to apply a change, its later changes and those of other nodes are still
        delivered.
        """
        if self._delivering or not self._pending:
            return
        self._delivering = True
        self._delivery = self.steps.start(self._deliver())

    def applied(self) -> Signal | None:
        """A signal, set when all changes so far are applied.

        None if they are, or if they are held or have not arrived.
        """
        if self._held or not self._delivering:
            return None
        signal = Signal()
        self._awaited.append(signal)
        self._pending.append(partial(self._reached, signal))
        return signal

    def close(self) -> None:
        """Deliver no more changes: the node has stopped."""
        self._held = self._is_closed = True
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
                    if are_slices(applied):
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
        self._listener.client_quotas_changed(entity, quotas)

    def _group_configs(self, group_id: str, configs: dict[str, str]) -> None:
        self.image.put_group_configs(group_id, configs)
        self._listener.group_configs_changed(group_id)

    def _feature_levels(self, levels: dict[str, int]) -> None:
        self.image.feature_levels.update(levels)
        self._listener.feature_levels_changed()

    def _topic(self, topic: TopicImage) -> Applied:
        self.image.put(topic)
        return self._listener.topic_changed(topic)

    def _gone(self, topic: TopicImage) -> Applied:
        self.image.remove(topic)
        return self._listener.topic_deleted(topic)
