"""The part of the controller that creates topics and partitions, in slices.

    place the replicas, encode --other tasks in between--> check again, store, publish

Between two slices nodes may be fenced, and other requests may create or change the same topic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from broker.common.errors import ApiError
from broker.config import Config
from broker.controller.cluster_state import ClusterState
from broker.controller.database.store import encode_partitions
from broker.controller.metadata.image import TopicImage
from broker.controller.partitions.new_topics import (
    Assignments,
    CheckConfigs,
    NewTopics,
    Spend,
    TopicConfigs,
    unlimited,
)
from broker.steps.queue import Slices
from protocol.errors import ErrorCode


class TopicControl:
    """Creates topics and partitions (a part of Kafka's ``ReplicationControlManager``)."""

    def __init__(self, state: ClusterState, config: Config, check_configs: CheckConfigs) -> None:
        self._state = state
        self._image = state.image
        self._new_topics = NewTopics(state.image, config, check_configs)

    def create(
        self,
        name: str,
        *,
        partitions: int = -1,
        replication_factor: int = -1,
        assignments: Assignments = (),
        indexes: Sequence[int] | None = None,
        configs: TopicConfigs = (),
        validate_only: bool = False,
        spend: Spend = unlimited,
    ) -> Slices[TopicImage]:
        """Create a topic and return it; -1 is the broker's default; see `NewTopics.topic`.

        Raises `ApiError` as Kafka's ``ReplicationControlManager.createTopic``. With
        ``validate_only`` the topic is validated and not created.
        """
        brokers = None
        while brokers != self._image.brokers:  # until they have not changed meanwhile
            brokers = dict(self._image.brokers)
            topic = yield from self._new_topics.topic(
                name, partitions, replication_factor, assignments, configs, indexes
            )
            encoded = yield from encode_partitions(topic)
        self._new_topics.check_new_name(name)
        spend(len(topic.partitions))
        if not validate_only:
            self._state.put_topics([topic], encoded)
        return topic

    def grow(
        self,
        name: str,
        count: int,
        assignments: Assignments | None = None,
        *,
        validate_only: bool = False,
        spend: Spend = unlimited,
    ) -> Slices[None]:
        """Grow a topic to *count* partitions; raises `ApiError` as Kafka's createPartitions."""
        brokers = None
        now = topic = self.topic_or_error(name)
        while brokers != self._image.brokers or _identity(now) != _identity(topic):
            brokers, topic = dict(self._image.brokers), now
            added = yield from self._new_topics.partitions(topic, count, assignments)
            grown = replace(topic, partitions=topic.partitions + added)
            encoded: str | None = yield from encode_partitions(grown)
            now = self.topic_or_error(name)
        if now is not topic:  # its settings, leaders or replicas have changed meanwhile
            grown, encoded = replace(now, partitions=now.partitions + added), None
        spend(len(added))
        if not validate_only:
            self._state.put_topics([grown], encoded)

    def topic_or_error(self, name: str) -> TopicImage:
        """The topic of that name; raises `ApiError` UNKNOWN_TOPIC_OR_PARTITION."""
        topic = self._image.topic(name)
        if topic is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return topic


def _identity(topic: TopicImage) -> tuple[object, int]:
    """What the assignment of new partitions depends on."""
    return topic.topic_id, len(topic.partitions)
