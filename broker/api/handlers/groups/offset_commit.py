"""OffsetCommit: a group commits the offset it has reached in each partition.

Behaviour: partitions that do not exist, and topics that the client may not read, are refused
separately; the group commits or refuses all others together. The response is sent when the commit
is replicated. A topic without partitions is not in it, unless it is refused.

Versions: 2 to 4 a retention time, 6 leader epochs, 7 static members (KIP-345), 9 member epochs, and
GROUP_ID_NOT_FOUND instead of ILLEGAL_GENERATION, 10 topic ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from broker.api.authorization.check import READ_GROUP, READ_TOPIC
from broker.api.authorization.checks import is_authorized, require
from broker.api.handlers.groups.committed_topics import CommittedTopics
from broker.api.handlers.groups.replicated import when_committed
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.topic_partition import topic_partition
from broker.controller.metadata.image import TopicImage
from broker.groups.offset_metadata_manager import Commit, OffsetCommit, PreparedCommit
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

_TOPIC_IDS_SINCE: Final = 10


def offset_commit(
    request: Request[OffsetCommitRequest],
) -> OffsetCommitResponse | Outcome | Slices[OffsetCommitResponse | Outcome]:
    """Commit the offsets of all partitions that exist: of a few at once, of many in slices."""
    require(request, READ_GROUP, request.body.group_id)
    collected, partitions = _Commits(request), 0
    for topic in request.body.topics:
        partitions += len(topic.partitions)
    if partitions > ITEMS_AT_ONCE:
        return _in_slices(collected)
    for topic in request.body.topics:
        collected.add(collected.topic(topic), topic.partitions)
    return collected.respond(collected.to_commit())


def _in_slices(collected: _Commits) -> Slices[OffsetCommitResponse | Outcome]:
    for topic in collected.request.body.topics:
        known, partitions = collected.topic(topic), topic.partitions
        for start in range(0, len(partitions), ITEMS_AT_ONCE):
            collected.add(known, partitions[start : start + ITEMS_AT_ONCE])
            yield None
    commit = collected.to_commit()
    prepared = yield from collected.request.services.groups.offsets.prepare(commit)
    return collected.respond(commit, prepared)


class _Topic:
    """An entry of the request: the image of its topic, or else the *error* of its partitions."""

    __slots__ = ("accepted", "error", "image", "key", "requested")

    def __init__(
        self,
        requested: OffsetCommitRequestTopic,
        key: object,
        image: TopicImage | None,
        error: ErrorCode,
    ) -> None:
        self.requested = requested
        self.key = key
        self.image = image
        self.error = error
        self.accepted = self.response()

    def response(self) -> OffsetCommitResponseTopic:
        """A part of the response for this topic, without partitions."""
        requested = self.requested
        return OffsetCommitResponseTopic(
            name=requested.name, topic_id=requested.topic_id, partitions=[]
        )


class _Commits:
    """The commits of a request, and the response with a partition for each."""

    __slots__ = ("_commits", "_committed", "_response", "_topics", "request")

    def __init__(self, request: Request[OffsetCommitRequest]) -> None:
        self.request = request
        self._response = OffsetCommitResponse(topics=[])
        self._topics = CommittedTopics[OffsetCommitResponseTopic]()
        self._commits: list[Commit] = []
        # The partitions of the response for the commits, in the same order.
        self._committed: list[OffsetCommitResponsePartition] = []

    def topic(self, requested: OffsetCommitRequestTopic) -> _Topic:
        """Find a topic of the request; one that is refused is in the response."""
        image = self.request.services.image
        by_id = self.request.version >= _TOPIC_IDS_SINCE
        if by_id:
            known = image.topic_by_id(requested.topic_id)
            name = None if known is None else known.name
        else:
            known = image.topic(requested.name)
            name = requested.name
        error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if name is None:
            error = ErrorCode.UNKNOWN_TOPIC_ID
        elif not is_authorized(self.request, READ_TOPIC, name):
            known, error = None, READ_TOPIC.error_code
        key: object = requested.topic_id if by_id else requested.name
        topic = _Topic(requested, key, known, error)
        if known is None:
            self._topics.refused(key, topic.response)
        return topic

    def add(self, topic: _Topic, requested: Sequence[OffsetCommitRequestPartition]) -> None:
        """Add partitions of a topic to the response, and the commits of those that exist."""
        image = topic.image
        for partition in requested:
            index = partition.partition_index
            response_partition = OffsetCommitResponsePartition(partition_index=index)
            if image is None or not 0 <= index < len(image.partitions):
                response_partition.error_code = topic.error
                refused = self._topics.refused(topic.key, topic.response)
                refused.partitions.append(response_partition)
                continue
            accepted = topic.accepted.partitions
            if not accepted:
                self._topics.accept(topic.key, topic.accepted)
            accepted.append(response_partition)
            self._committed.append(response_partition)
            self._commits.append(
                Commit(
                    topic_partition(image.name, index),
                    partition.committed_offset,
                    partition.committed_leader_epoch,
                    partition.committed_metadata,
                    image.topic_id,
                )
            )

    def to_commit(self) -> OffsetCommit:
        """The collected commits as those of the member."""
        body = self.request.body
        return OffsetCommit(
            group_id=body.group_id,
            generation_id_or_member_epoch=body.generation_id_or_member_epoch,
            member_id=body.member_id,
            group_instance_id=body.group_instance_id,
            retention_ms=body.retention_time_ms,
            api_version=self.request.version,
            commits=self._commits,
        )

    def respond(
        self, commit: OffsetCommit, prepared: PreparedCommit | None = None
    ) -> OffsetCommitResponse | Outcome:
        """Commit all; returns the response, or parks the request until it is replicated."""
        response = self._response
        response.topics = self._topics.put_together()
        if not self._commits:
            return response
        return when_committed(
            self.request, commit, self._committed, response, self._refuse, prepared
        )

    def _refuse(self, error: ErrorCode) -> OffsetCommitResponse:
        for response_partition in self._committed:
            response_partition.error_code = error
        return self._response
