"""The context of a Fetch request, given by its session id and epoch (KIP-227).

session  epoch      the request is                            the response has
0        -1, or <v7 full, without a session                   session 0
any      0          full; the old session ends, a new begins  the new session's id, or 0
s        -1         full; the session ends                    session 0
s        n > 0      incremental                               only changed partitions

A request that changes many partitions of its session does so in slices. Another request of the same
session has the wrong epoch meanwhile; Kafka lets it wait. A session has at most as many partitions
as a request has items; Kafka has no limit.
"""

from __future__ import annotations

from collections.abc import Sequence

from broker.replication.fetch_data import (
    FetchPartition,
    LogReadResult,
    PartitionName,
)
from broker.replication.fetch_session import (
    FINAL_EPOCH,
    INITIAL_EPOCH,
    NO_SESSION,
    FetchSession,
    FetchSessionCache,
    next_epoch,
)
from broker.replication.idle_partitions import IdlePartitions
from broker.steps.limits import ITEMS_PER_REQUEST_MAX
from broker.steps.pieces import pieces
from broker.steps.queue import Slices
from protocol.errors import ErrorCode

PartitionResults = list[tuple[FetchPartition, LogReadResult]]


class SessionError(Exception):
    """The session id or epoch is invalid; the response has a top-level error and no partitions."""

    def __init__(self, code: ErrorCode) -> None:
        super().__init__(code.name)
        self.code = code


class FullFetchContext:
    """The request names all partitions, and the response has all of them."""

    def __init__(self, wanted: list[FetchPartition], session: FetchSession | None = None) -> None:
        self.wanted = wanted
        self.idle: IdlePartitions | None = None
        self.session = session

    def changed_partitions(self, results: PartitionResults) -> PartitionResults:
        """The partitions of the response."""
        return results

    def throttled_session_id(self, cache: FetchSessionCache) -> int:
        """The session id of a throttled, empty response; no session begins (KIP-219)."""
        if self.session is not None:
            cache.remove(self.session.session_id)
        return NO_SESSION

    def update_and_generate_response(
        self, results: PartitionResults
    ) -> tuple[int, PartitionResults]:
        """The session id and the partitions of the response."""
        if self.session is None:
            return NO_SESSION, results
        _remember(results)
        return self.session.session_id, results

    def update_in_slices(self, results: PartitionResults) -> Slices[tuple[int, PartitionResults]]:
        """`update_and_generate_response` that yields between the partitions."""
        if self.session is None:
            return NO_SESSION, results
        for piece in pieces(results):
            _remember(piece)
            yield None
        return self.session.session_id, results


class IncrementalFetchContext:
    """Those of the session that are not idle, *wanted*, are read; the response has what changed."""

    def __init__(self, session: FetchSession, wanted: list[FetchPartition]) -> None:
        self.wanted = wanted
        self.idle = session.idle
        self.session = session
        self._epoch = session.epoch

    def changed_partitions(self, results: PartitionResults) -> PartitionResults:
        """The partitions of the response.

        Raises `SessionError` if the session has processed another request meanwhile.
        """
        self._current()
        return _changed(results)

    def throttled_session_id(self, _cache: FetchSessionCache) -> int:
        """The session id of a throttled, empty response; the session does not change.

        Raises `SessionError` if the session has processed another request meanwhile.
        """
        return self._current().session_id

    def update_and_generate_response(
        self, results: PartitionResults
    ) -> tuple[int, PartitionResults]:
        """The session id and the changed partitions, which the session records as sent.

        Raises `SessionError` if the session has processed another request meanwhile.
        """
        session = self._current()
        return session.session_id, _update(session, results)

    def update_in_slices(self, results: PartitionResults) -> Slices[tuple[int, PartitionResults]]:
        """`update_and_generate_response` that yields between the partitions."""
        session, changed = self._current(), PartitionResults()
        session.is_changing = True
        for piece in pieces(results):
            changed += _update(session, piece)
            yield None
        session.is_changing = False
        return session.session_id, changed

    def _current(self) -> FetchSession:
        session = self.session
        if session.epoch != self._epoch or session.is_changing:
            raise SessionError(ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        return session


FetchContext = FullFetchContext | IncrementalFetchContext


def new_fetch_context(
    cache: FetchSessionCache,
    session_id: int,
    epoch: int,
    wanted: list[FetchPartition],
    forgotten: Sequence[PartitionName],
    *,
    uses_topic_ids: bool,
    privileged: bool,
) -> FetchContext:
    """The context of a request; raises `SessionError` (Kafka's ``FetchManager.newContext``)."""
    if epoch in (INITIAL_EPOCH, FINAL_EPOCH):
        if _ends_without_session(cache, session_id, epoch):
            return FullFetchContext(wanted)
        partitions = {requested.name: requested for requested in wanted}
        session = cache.try_create(partitions, privileged=privileged, uses_topic_ids=uses_topic_ids)
        return FullFetchContext(wanted, session)
    session = _session(cache, session_id, epoch, len(wanted), uses_topic_ids=uses_topic_ids)
    for requested in wanted:
        session.put(requested)
    for name in forgotten:
        session.remove(name)
    return _incremental(cache, session, wanted)


def new_fetch_context_in_slices(
    cache: FetchSessionCache,
    session_id: int,
    epoch: int,
    wanted: list[FetchPartition],
    forgotten: Sequence[PartitionName],
    *,
    uses_topic_ids: bool,
    privileged: bool,
) -> Slices[FetchContext]:
    """`new_fetch_context` that yields between the partitions."""
    if epoch in (INITIAL_EPOCH, FINAL_EPOCH):
        if _ends_without_session(cache, session_id, epoch):
            return FullFetchContext(wanted)
        partitions = dict[PartitionName, FetchPartition]()
        for piece in pieces(wanted):
            partitions.update([(requested.name, requested) for requested in piece])
            yield None
        session = cache.try_create(partitions, privileged=privileged, uses_topic_ids=uses_topic_ids)
        return FullFetchContext(wanted, session)
    session = _session(cache, session_id, epoch, len(wanted), uses_topic_ids=uses_topic_ids)
    session.is_changing = True
    for piece in pieces(wanted):
        for requested in piece:
            session.put(requested)
        yield None
    for names in pieces(forgotten):
        for name in names:
            session.remove(name)
        yield None
    session.is_changing = False
    return _incremental(cache, session, wanted)


def _ends_without_session(cache: FetchSessionCache, session_id: int, epoch: int) -> bool:
    """End the session that a full fetch names; returns whether none begins."""
    if session_id != NO_SESSION:
        cache.remove(session_id)
    return epoch == FINAL_EPOCH


def _session(
    cache: FetchSessionCache, session_id: int, epoch: int, named: int, *, uses_topic_ids: bool
) -> FetchSession:
    """The session of an incremental fetch that names *named* partitions; raises `SessionError`.

    A session that would have too many ends, so that the client continues with a full fetch.
    """
    session = cache.get(session_id)
    if session is None:
        raise SessionError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    if session.epoch != epoch or session.is_changing:
        raise SessionError(ErrorCode.INVALID_FETCH_SESSION_EPOCH)
    if session.uses_topic_ids != uses_topic_ids:
        raise SessionError(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
    if named and len(session.partitions) + named > ITEMS_PER_REQUEST_MAX:
        cache.remove(session_id)
        raise SessionError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    cache.touch(session)
    return session


def _incremental(
    cache: FetchSessionCache,
    session: FetchSession,
    wanted: list[FetchPartition],
) -> FetchContext:
    """The context of a fetch after its changes of the session.

    If it has no partitions, it ends, and those that the request names are read once more.
    """
    if not session.partitions:
        cache.remove(session.session_id)
        return FullFetchContext(wanted)
    session.epoch = next_epoch(session.epoch)
    return IncrementalFetchContext(session, session.active())


def _changed(results: PartitionResults) -> PartitionResults:
    return [each for each in results if each[0].has_news(each[1])]


def _update(session: FetchSession, results: PartitionResults) -> PartitionResults:
    """The changed partitions, which the session records as sent."""
    changed = _changed(results)
    _remember(changed)
    for requested, result in changed:
        if result.records:
            session.move_to_end(requested.name)
    return changed


def _remember(results: PartitionResults) -> None:
    """Record what the client knows after the response."""
    for requested, result in results:
        requested.record_sent(result)
