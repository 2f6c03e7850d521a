"""Changes of many partitions, computed in slices and committed in batches.

    change, change, ... yield ... change, change --commit--> one transaction for the batch

Between two slices partitions may change for other reasons. So the batch keeps the registration from
which each change was computed, and computes it again at the commit if the partition has another
one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import is_
from uuid import UUID

from broker.common.errors import ApiError
from broker.controller.metadata.image import MetadataImage, PartitionRegistration, TopicImage
from broker.controller.partitions.partition_change import Rules

ChangePartition = Callable[[PartitionRegistration, Rules], PartitionRegistration]
RulesOf = Callable[[TopicImage], Callable[[int], Rules]]


class ChangeBatch:
    """The new registrations of partitions; it changes nothing itself."""

    def __init__(self, image: MetadataImage, rules_of: RulesOf) -> None:
        self._image = image
        self._rules_of = rules_of
        # By the id of the topic: another one may have its name at the commit.
        self._changes: dict[UUID, dict[int, tuple[PartitionRegistration, ChangePartition]]] = {}
        self._new: dict[UUID, dict[int, PartitionRegistration]] = {}
        self._last: tuple[TopicImage, Callable[[int], Rules]] | None = None
        self.count = 0

    def add(self, topic: TopicImage, index: int, change: ChangePartition) -> None:
        """Add a change of a partition; raises what *change* raises."""
        old = topic.partitions[index]
        new = change(old, self._rules(topic)(index))
        self._changes.setdefault(topic.topic_id, {})[index] = old, change
        self._new.setdefault(topic.topic_id, {})[index] = new
        self.count += 1

    def changed_topics(self) -> list[TopicImage]:
        """The topics with their changes, if they still exist."""
        changed = []
        for topic_id, made in self._changes.items():
            topic = self._image.topic_by_id(topic_id)
            if topic is not None:
                self._renew(topic, made)
                changed.append(with_partitions(topic, self._new[topic_id]))
        return changed

    def _renew(
        self, topic: TopicImage, made: Mapping[int, tuple[PartitionRegistration, ChangePartition]]
    ) -> None:
        """Make the change again for partitions that have changed meanwhile."""
        new = self._new[topic.topic_id]
        for index, (old, change) in made.items():
            now = topic.partitions[index]
            if now is not old:
                try:
                    new[index] = change(now, self._rules(topic)(index))
                except ApiError:
                    new[index] = now

    def _rules(self, topic: TopicImage) -> Callable[[int], Rules]:
        if self._last is None or self._last[0] is not topic:
            self._last = topic, self._rules_of(topic)
        return self._last[1]


def with_partitions(topic: TopicImage, changes: Mapping[int, PartitionRegistration]) -> TopicImage:
    """The topic with some partitions replaced; the same object if nothing differs."""
    partitions = list(topic.partitions)
    for index, partition in changes.items():
        partitions[index] = partition
    if all(map(is_, partitions, topic.partitions)) or tuple(partitions) == topic.partitions:
        return topic
    return replace(topic, partitions=tuple(partitions))
