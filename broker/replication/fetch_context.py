"""What a Fetch request means, given its session id and epoch (KIP-227).

session  epoch      the request is                            the answer carries
0        -1, or <v7 full, without a session                   session 0
any      0          full; the old session ends, a new begins  the new session's id, or 0
s        -1         full; the session ends                    session 0
s        n > 0      incremental                               only partitions with news
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from broker.replication.fetch_data import FetchPartition
from broker.replication.fetch_session import (
    FINAL_EPOCH,
    INITIAL_EPOCH,
    NO_SESSION,
    CachedPartition,
    FetchSession,
    FetchSessionCache,
    PartitionName,
    next_epoch,
)
from protocol.errors import ErrorCode
from protocol.messages.fetch import PartitionData

RequestedPartitions = list[tuple[PartitionName, FetchPartition]]
PartitionResponses = list[tuple[PartitionName, PartitionData]]


class SessionError(Exception):
    """The session part of the request is wrong: answered at the top, without partitions."""

    def __init__(self, code: ErrorCode) -> None:
        super().__init__(code.name)
        self.code = code


class FullFetchContext:
    """All partitions are named in the request, and all are answered."""

    def __init__(self, wanted: RequestedPartitions, session: FetchSession | None = None) -> None:
        self.wanted = wanted
        self._session = session

    def changed_partitions(self, answers: PartitionResponses) -> PartitionResponses:
        """The partitions to answer."""
        return answers

    def throttled_session_id(self, cache: FetchSessionCache) -> int:
        """The session id to answer with and nothing else: no session begins (KIP-219)."""
        if self._session is not None:
            cache.remove(self._session.session_id)
        return NO_SESSION

    def update_and_generate_response(
        self, answers: PartitionResponses
    ) -> tuple[int, PartitionResponses]:
        """The session id to answer with, and the partitions to answer."""
        if self._session is None:
            return NO_SESSION, answers
        for name, data in answers:
            _remember(self._session.partitions[name], data)
        return self._session.session_id, answers


class IncrementalFetchContext:
    """The session's partitions are read, and those with news are answered."""

    def __init__(self, session: FetchSession) -> None:
        self._session = session
        self._epoch = session.epoch
        self.wanted = [(name, cached.requested) for name, cached in session.partitions.items()]

    def changed_partitions(self, answers: PartitionResponses) -> PartitionResponses:
        """The partitions that have news.

        Raises `SessionError` if another request of the session came through meanwhile.
        """
        partitions = self._current().partitions
        return [(name, data) for name, data in answers if _has_news(partitions[name], data)]

    def throttled_session_id(self, _cache: FetchSessionCache) -> int:
        """The session id to answer with and nothing else, the session staying as it is.

        Raises `SessionError` if another request of the session came through meanwhile.
        """
        return self._current().session_id

    def update_and_generate_response(
        self, answers: PartitionResponses
    ) -> tuple[int, PartitionResponses]:
        """The session id to answer with, and the partitions that have news.

        Raises `SessionError` if another request of the session came through meanwhile.
        """
        session = self._current()
        news = self.changed_partitions(answers)
        for name, data in news:
            _remember(session.partitions[name], data)
            if data.records:
                session.move_to_end(name)
        return session.session_id, news

    def _current(self) -> FetchSession:
        if self._session.epoch != self._epoch:
            raise SessionError(ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        return self._session


FetchContext = FullFetchContext | IncrementalFetchContext


def new_fetch_context(
    cache: FetchSessionCache,
    session_id: int,
    epoch: int,
    wanted: RequestedPartitions,
    forgotten: Sequence[PartitionName],
    *,
    uses_topic_ids: bool,
    privileged: bool,
) -> FetchContext:
    """The context of a request; raises `SessionError`."""
    if epoch in (INITIAL_EPOCH, FINAL_EPOCH):
        if session_id != NO_SESSION:
            cache.remove(session_id)
        if epoch == FINAL_EPOCH or not wanted:
            return FullFetchContext(wanted)
        session = cache.try_create(wanted, privileged=privileged, uses_topic_ids=uses_topic_ids)
        return FullFetchContext(wanted, session)
    session = cache.get(session_id)
    if session is None:
        raise SessionError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    if session.epoch != epoch:
        raise SessionError(ErrorCode.INVALID_FETCH_SESSION_EPOCH)
    if session.uses_topic_ids != uses_topic_ids:
        raise SessionError(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
    for name, requested in wanted:
        session.put(name, requested)
    for name in forgotten:
        session.partitions.pop(name, None)
    if not session.partitions:
        cache.remove(session_id)
        return FullFetchContext([])
    session.epoch = next_epoch(epoch)
    return IncrementalFetchContext(session)


def _has_news(cached: CachedPartition, data: PartitionData) -> bool:
    return bool(
        data.records
        or data.error_code
        or data.high_watermark != cached.high_watermark
        or data.log_start_offset != cached.log_start_offset
        or data.preferred_read_replica != -1
        or data.diverging_epoch is not None
    )


def _remember(cached: CachedPartition, data: PartitionData) -> None:
    """Note what the client now knows; after an error it is told again once all is well.

    So is a follower that has to cut its log first, and leaves the rest of the answer alone. Kafka
    forgets that one, which then learns the high watermark when it moves next.
    """
    unused = data.error_code or data.diverging_epoch is not None
    cached.high_watermark = -1 if unused else data.high_watermark
    cached.log_start_offset = data.log_start_offset


def partition_name(topic: str, topic_id: UUID, partition: int) -> PartitionName:
    """How a session names a partition: by topic id where the request's version has ids."""
    return (topic_id if topic_id.int else topic, partition)
