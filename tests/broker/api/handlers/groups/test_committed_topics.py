"""The topics of a response to a commit of offsets."""

from __future__ import annotations

from functools import partial

from broker.api.handlers.groups.committed_topics import CommittedTopics
from protocol.messages.offset_commit import (
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)


def _topic(name: str, *indexes: int) -> OffsetCommitResponseTopic:
    partitions = [OffsetCommitResponsePartition(partition_index=index) for index in indexes]
    return OffsetCommitResponseTopic(name=name, partitions=partitions)


def test_accepted_topics_are_as_in_the_request() -> None:
    """If nothing was refused, also a topic that is named twice."""
    topics = CommittedTopics[OffsetCommitResponseTopic]()
    accepted = [_topic("t", 0), _topic("u", 0), _topic("t", 1)]
    for each in accepted:
        topics.accept(each.name, each)

    assert topics.put_together() == accepted


def test_refused_topics_come_first_and_each_topic_once() -> None:
    """The accepted partitions of a topic follow its refused ones."""
    topics = CommittedTopics[OffsetCommitResponseTopic]()
    topics.refused("x", partial(_topic, "x"))
    for index in (7, 8):
        refused = topics.refused("t", partial(_topic, "t"))
        refused.partitions.append(OffsetCommitResponsePartition(partition_index=index))
    for each in (_topic("t", 0), _topic("u", 0), _topic("t", 1)):
        topics.accept(each.name, each)

    assert topics.put_together() == [_topic("x"), _topic("t", 7, 8, 0, 1), _topic("u", 0)]
