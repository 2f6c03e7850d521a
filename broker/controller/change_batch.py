"""Decisions about many partitions, made in slices and written down in batches.

    decide, decide, ... yield ... decide, decide --commit--> one transaction for all of these

Between two slices partitions may change for other reasons. So each decision remembers what it was
made about, and is made again at the commit if that is not what the partition is by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import is_

from broker.common.errors import ApiError
from broker.controller.image import MetadataImage, PartitionRegistration, TopicImage
from broker.controller.partition_change import Rules

ChangePartition = Callable[[PartitionRegistration, Rules], PartitionRegistration]
RulesOf = Callable[[TopicImage], Callable[[int], Rules]]


class ChangeBatch:
    """What partitions are to become; nothing is changed here."""

    def __init__(self, image: MetadataImage, rules_of: RulesOf) -> None:
        self._image = image
        self._rules_of = rules_of
        self._made: dict[str, dict[int, tuple[PartitionRegistration, ChangePartition]]] = {}
        self._new: dict[str, dict[int, PartitionRegistration]] = {}
        self._last: tuple[TopicImage, Callable[[int], Rules]] | None = None
        self.count = 0

    def add(self, topic: TopicImage, index: int, decide: ChangePartition) -> None:
        """Decide about a partition; raises what *decide* raises."""
        old = topic.partitions[index]
        new = decide(old, self._rules(topic)(index))
        self._made.setdefault(topic.name, {})[index] = old, decide
        self._new.setdefault(topic.name, {})[index] = new
        self.count += 1

    def changed_topics(self) -> list[TopicImage]:
        """The topics as they are to become, those that still exist."""
        changed = []
        for name, made in self._made.items():
            topic = self._image.topic(name)
            if topic is not None:
                self._renew(topic, made)
                changed.append(with_partitions(topic, self._new[name]))
        return changed

    def _renew(
        self, topic: TopicImage, made: Mapping[int, tuple[PartitionRegistration, ChangePartition]]
    ) -> None:
        """Decide again about partitions that have changed since."""
        new = self._new[topic.name]
        for index, (old, decide) in made.items():
            now = topic.partitions[index]
            if now is not old:
                try:
                    new[index] = decide(now, self._rules(topic)(index))
                except ApiError:
                    new[index] = now

    def _rules(self, topic: TopicImage) -> Callable[[int], Rules]:
        if self._last is None or self._last[0] is not topic:
            self._last = topic, self._rules_of(topic)
        return self._last[1]


def with_partitions(topic: TopicImage, changes: Mapping[int, PartitionRegistration]) -> TopicImage:
    """The topic with some of its partitions changed; itself if they are as they were."""
    partitions = list(topic.partitions)
    for index, partition in changes.items():
        partitions[index] = partition
    if all(map(is_, partitions, topic.partitions)) or tuple(partitions) == topic.partitions:
        return topic
    return replace(topic, partitions=tuple(partitions))
