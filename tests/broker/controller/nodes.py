"""Nodes that record the changes from a controller, and a controller."""

from __future__ import annotations

from pathlib import Path

from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.config.topics import check_topic_configs
from broker.controller.controller import Controller
from broker.controller.database.store import ControllerStore
from broker.controller.feeds.feed import MetadataFeed
from broker.controller.metadata.image import Broker, PartitionRegistration, TopicImage
from broker.controller.partitions.alter_partition import AlterPartition
from broker.controller.partitions.partition_change import Election
from broker.quotas.entity import Entity, Quotas
from broker.steps.queue import finish
from protocol.errors import ErrorCode


class RecordingNode:
    """A node that only records the changes of topics."""

    def __init__(self) -> None:
        self.notified: list[tuple[str, str, int]] = []

    def broker_changed(self, broker: Broker) -> None:
        """Ignore it."""

    def configs_changed(self) -> None:
        """Ignore it."""

    def client_quotas_changed(self, entity: Entity, quotas: Quotas) -> None:
        """Ignore it."""

    def feature_levels_changed(self) -> None:
        """Ignore it."""

    def group_configs_changed(self, group_id: str) -> None:
        """Ignore it."""

    def delivered(self) -> None:
        """Ignore it."""

    def delivery_failed(self, change: str, error: Exception) -> None:
        """No change may fail here."""
        raise error

    def topic_changed(self, topic: TopicImage) -> None:
        """Record it."""
        self.notified.append(("changed", topic.name, len(topic.partitions)))

    def topic_deleted(self, topic: TopicImage) -> None:
        """Record it."""
        self.notified.append(("deleted", topic.name, len(topic.partitions)))


def make_controller(store: ControllerStore, config: Config | None = None) -> Controller:
    """A controller over *store*."""
    return Controller(store, config or Config(), check_topic_configs)


class Nodes:
    """Three nodes and the controller; a topic of three replicas led by node 1."""

    def __init__(self, path: Path | None = None, **config: int | bool) -> None:
        self.controller = make_controller(ControllerStore(path), Config(**config))  # type: ignore[arg-type]  # only what a test sets
        self.feeds: dict[int, MetadataFeed] = {}
        with self.controller.starting():
            for node_id in (1, 2, 3):
                self.start(node_id)

    def start(self, node_id: int) -> None:
        """Register a node."""
        feed = self.controller.register(Broker(node_id, "h", node_id), RecordingNode())
        self.feeds[node_id] = feed
        feed.release()

    def topic(self, *replicas: int, **configs: str) -> TopicImage:
        """Create a topic of one partition."""
        named = {key.replace("_", "."): value for key, value in configs.items()}
        assignments = [replicas or (1, 2, 3)]
        return self.controller.create_topic("t", assignments=assignments, configs=named)

    def elect(
        self, election: Election, keys: list[TopicPartition] | None
    ) -> dict[TopicPartition, ErrorCode]:
        """Hold elections; returns their results."""
        results = finish(self.controller.elect_leaders(election, keys))
        return {key: error.code if error else ErrorCode.NONE for key, error in results.items()}

    @property
    def partition(self) -> PartitionRegistration:
        """The controller's registration of the partition."""
        topic = self.controller.topic("t")
        assert topic is not None
        return topic.partitions[0]

    def change(self, topic: TopicImage, *isr: int) -> AlterPartition:
        """The request of an up-to-date leader."""
        now = self.partition
        brokers = self.controller.image.brokers
        return AlterPartition(
            TopicPartition("t", 0),
            topic.topic_id,
            now.leader,
            brokers[now.leader].epoch,
            now.leader_epoch,
            now.partition_epoch,
            isr,
            tuple(brokers[node_id].epoch for node_id in isr),
        )
