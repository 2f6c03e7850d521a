"""Nodes that remember what a controller tells them, and a controller to tell them."""

from __future__ import annotations

from broker.config import Config
from broker.controller.controller import Controller
from broker.controller.image import Broker, TopicImage
from broker.controller.store import ControllerStore
from broker.topic_config import check_topic_configs


class RecordingNode:
    """A node that only remembers what it was told of topics."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, int]] = []

    def broker_changed(self, broker: Broker) -> None:
        """Never mind."""

    def configs_changed(self) -> None:
        """Never mind."""

    def client_quotas_changed(self) -> None:
        """Never mind."""

    def group_configs_changed(self, group_id: str) -> None:
        """Never mind."""

    def topic_changed(self, topic: TopicImage) -> None:
        """Remember."""
        self.told.append(("changed", topic.name, len(topic.partitions)))

    def topic_deleted(self, topic: TopicImage) -> None:
        """Remember."""
        self.told.append(("deleted", topic.name, len(topic.partitions)))


def make_controller(store: ControllerStore, config: Config | None = None) -> Controller:
    """A controller over *store*."""
    return Controller(store, config or Config(), check_topic_configs)
