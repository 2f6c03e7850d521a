"""The topics of a response to a commit of offsets."""

from __future__ import annotations

from broker.api.handlers.committed_topics import put_together
from protocol.messages.offset_commit import (
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)


def _topic(name: str, *indexes: int) -> OffsetCommitResponseTopic:
    partitions = [OffsetCommitResponsePartition(partition_index=index) for index in indexes]
    return OffsetCommitResponseTopic(name=name, partitions=partitions)


def test_accepted_topics_are_as_in_the_request() -> None:
    """If nothing was refused, also a topic that is named twice."""
    accepted = [_topic("t", 0), _topic("u", 0), _topic("t", 1)]

    assert put_together({}, [(each.name, each) for each in accepted]) == accepted


def test_refused_topics_come_first_and_each_topic_once() -> None:
    """The accepted partitions of a topic follow its refused ones."""
    refused = {"x": _topic("x"), "t": _topic("t", 7)}
    accepted = [("t", _topic("t", 0)), ("u", _topic("u", 0)), ("t", _topic("t", 1))]

    assert put_together(refused, accepted) == [
        _topic("x"),
        _topic("t", 7, 0, 1),
        _topic("u", 0),
    ]
