"""The topics of a response to a commit of offsets: refused partitions, and those the group has.

The broker refuses partitions before the group commits the others, and Kafka puts both results
together (``OffsetCommitResponse.Builder`` and ``TxnOffsetCommitResponse.Builder``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar


class ResponseTopic(Protocol):
    """A topic of a response."""

    partitions: list[Any]


Topic = TypeVar("Topic", bound=ResponseTopic)


class CommittedTopics(Generic[Topic]):
    """The topics of one response, by their names or ids."""

    __slots__ = ("_accepted", "_refused")

    def __init__(self) -> None:
        self._refused: dict[object, Topic] = {}
        self._accepted: list[tuple[object, Topic]] = []

    def refused(self, key: object, new: Callable[[], Topic]) -> Topic:
        """The topic with the refused partitions of *key*; *new* makes it if there is none."""
        topic = self._refused.get(key)
        if topic is None:
            topic = self._refused[key] = new()
        return topic

    def accept(self, key: object, topic: Topic) -> None:
        """Add a topic with the accepted partitions of one entry of the request."""
        self._accepted.append((key, topic))

    def put_together(self) -> list[Topic]:
        """The refused topics, and then the others.

        As in Kafka, each topic is there once if anything was refused, and otherwise as often as the
        request names it.
        """
        if not self._refused:
            return [topic for _, topic in self._accepted]
        topics = dict(self._refused)
        for key, topic in self._accepted:
            known = topics.get(key)
            if known is None:
                topics[key] = topic
            else:
                known.partitions += topic.partitions
        return list(topics.values())
