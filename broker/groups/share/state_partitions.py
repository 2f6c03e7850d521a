"""The share partitions of a group and whether the share coordinator has their state.

The value of Kafka's ``ShareGroupStatePartitionMetadata`` record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import NamedTuple
from uuid import UUID

from broker.groups.records.share import (
    ShareGroupStatePartitionMetadataValue,
    TopicInfo,
    TopicPartitionsInfo,
)
from protocol.lazy_dataclass import dataclass


class TopicStates(NamedTuple):
    """Some partitions of a topic."""

    name: str
    partitions: frozenset[int]


Topics = Mapping[UUID, TopicStates]


@dataclass(frozen=True, slots=True)
class StatePartitions:
    """Partitions by topic: those in initialization, the initialized ones, and deleted topics.

    ``deleting`` are the topics whose states are being deleted, by id.
    """

    initializing: Topics = field(default_factory=dict)
    initialized: Topics = field(default_factory=dict)
    deleting: Mapping[UUID, str] = field(default_factory=dict)

    def beginning(self, topics: Topics) -> StatePartitions:
        """With *topics* in initialization."""
        return replace(self, initializing=_with(self.initializing, topics))

    def ended(self, topics: Topics, *, successful: Topics) -> StatePartitions:
        """Without *topics* in initialization, of which *successful* are initialized."""
        return replace(
            self,
            initializing=_without(self.initializing, topics),
            initialized=_with(self.initialized, successful),
        )

    def deletion(self, topics: Mapping[UUID, str]) -> StatePartitions:
        """With *topics* in deletion, and not initialized any more."""
        return StatePartitions(
            {key: each for key, each in self.initializing.items() if key not in topics},
            {key: each for key, each in self.initialized.items() if key not in topics},
            {**self.deleting, **topics},
        )

    def without(self, topic_ids: Iterable[UUID]) -> StatePartitions:
        """Without these topics."""
        left = set(topic_ids)
        return StatePartitions(
            {key: each for key, each in self.initializing.items() if key not in left},
            {key: each for key, each in self.initialized.items() if key not in left},
            {key: each for key, each in self.deleting.items() if key not in left},
        )

    def topic_ids(self) -> set[UUID]:
        """All topics."""
        return {*self.initializing, *self.initialized, *self.deleting}

    def partitions(self) -> Iterator[tuple[UUID, int]]:
        """All partitions that have a state, or may have one."""
        for topics in (self.initialized, self.initializing):
            for topic_id, states in topics.items():
                for partition in sorted(states.partitions):
                    yield topic_id, partition

    @classmethod
    def of_record(cls, value: ShareGroupStatePartitionMetadataValue) -> StatePartitions:
        """The content of a record."""
        return cls(
            _read(value.initializing_topics),
            _read(value.initialized_topics),
            {each.topic_id: each.topic_name for each in value.deleting_topics},
        )

    def to_record(self) -> ShareGroupStatePartitionMetadataValue:
        """The record."""
        return ShareGroupStatePartitionMetadataValue(
            initializing_topics=_written(self.initializing),
            initialized_topics=_written(self.initialized),
            deleting_topics=[
                TopicInfo(topic_id=topic_id, topic_name=name)
                for topic_id, name in self.deleting.items()
            ],
        )


def _read(topics: Iterable[TopicPartitionsInfo]) -> Topics:
    return {
        each.topic_id: TopicStates(each.topic_name, frozenset(each.partitions)) for each in topics
    }


def _written(topics: Topics) -> list[TopicPartitionsInfo]:
    return [
        TopicPartitionsInfo(
            topic_id=topic_id, topic_name=each.name, partitions=sorted(each.partitions)
        )
        for topic_id, each in topics.items()
    ]


def _with(before: Topics, added: Topics) -> Topics:
    after = dict(before)
    for topic_id, (name, partitions) in added.items():
        known = before.get(topic_id)
        after[topic_id] = TopicStates(name, partitions | (known.partitions if known else set()))
    return after


def _without(before: Topics, removed: Topics) -> Topics:
    after = {}
    for topic_id, (name, partitions) in before.items():
        gone = removed.get(topic_id)
        left = partitions - gone.partitions if gone else partitions
        if left:
            after[topic_id] = TopicStates(name, left)
    return after
