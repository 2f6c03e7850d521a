"""Removes topics, and creates those again that were given at the start."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import trio

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.all_applied import all_applied
from broker.controller.controller import Controller
from broker.controller.metadata.image import INTERNAL_TOPICS
from broker.reset.given import Given, create_topic
from broker.reset.removed import Removed

logger = logging.getLogger(__name__)

# Topics that are removed in one transaction, and in one step of the event loop.
TOPICS_PER_COMMIT = 100


class TopicRemoval:
    """Removes topics of *controller*; those that were *given* exist afterwards, empty."""

    def __init__(self, controller: Controller, given: Given) -> None:
        self._controller = controller
        self._given = given

    async def remove(
        self, names: Sequence[str], prefix: str, found: Removed, with_them: Callable[[], object]
    ) -> list[TopicPartition]:
        """Remove the topics; returns their partitions when all nodes have applied the change.

        The given topics with *prefix* exist afterwards. *with_them* makes other changes in the same
        transaction.
        """
        rest, removed = list(names), list[TopicPartition]()
        while len(rest) > TOPICS_PER_COMMIT:
            with self._controller.one_commit():
                removed += self._delete(rest[:TOPICS_PER_COMMIT], found)
            del rest[:TOPICS_PER_COMMIT]
            await trio.lowlevel.checkpoint()
        with self._controller.one_commit():
            removed += self._delete(rest, found)
            with_them()
            self._create_given(prefix, found)
        await all_applied(self._controller)
        return removed

    def _delete(self, names: Sequence[str], found: Removed) -> list[TopicPartition]:
        keys: list[TopicPartition] = []
        for name in names:
            topic = self._controller.topic(name)
            if topic is not None:
                self._controller.delete_topic(name)
                found.topics += name not in INTERNAL_TOPICS
                keys += [TopicPartition(name, index) for index in range(len(topic.partitions))]
        return keys

    def _create_given(self, prefix: str, found: Removed) -> None:
        for topic in self._given.topics:
            if topic.name.startswith(prefix):
                try:
                    create_topic(self._controller, topic)
                except ApiError as error:  # as if a client has unregistered a node
                    logger.error("topic %s cannot be created again: %s", topic.name, error)
                else:
                    found.recreated.append(topic.name)
