"""The topics of a response to a commit of offsets: refused partitions, and those the group has.

The broker refuses partitions before the group commits the others, and Kafka puts both results
together (``OffsetCommitResponse.Builder`` and ``TxnOffsetCommitResponse.Builder``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar


class ResponseTopic(Protocol):
    """A topic of a response."""

    partitions: list[Any]


Topic = TypeVar("Topic", bound=ResponseTopic)


def put_together(
    refused: Mapping[Any, Topic], accepted: Iterable[tuple[Any, Topic]]
) -> list[Topic]:
    """The refused topics, and then the others; both have the name or the id of their topic.

    As in Kafka, each topic is there once if anything was refused, and otherwise as often as the
    request names it.
    """
    if not refused:
        return [topic for _, topic in accepted]
    topics: dict[Any, Topic] = dict(refused)
    for name, topic in accepted:
        known = topics.get(name)
        if known is None:
            topics[name] = topic
        else:
            known.partitions += topic.partitions
    return list(topics.values())
