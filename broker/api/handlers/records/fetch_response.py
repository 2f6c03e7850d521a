"""The response to a Fetch, made from the results of its partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from broker.api.handlers.current_leader import WRONG_LEADER, Leaders
from broker.api.handlers.records.fetch_partitions import FoundPartitions
from broker.api.long_request import respond_in_slices
from broker.api.request import Request
from broker.api.throttling import throttle_fetch
from broker.replication.fetch_context import FetchContext, PartitionResults, SessionError
from broker.replication.fetch_data import FetchParams, LogReadResult
from broker.replication.fetch_session import NO_SESSION
from broker.steps.pieces import pieces
from broker.steps.queue import Slices
from broker.storage.indexes.transaction_index import AbortedTxn
from protocol.codec import Output, encode_into
from protocol.frame_length import begin_frame, finish_frame
from protocol.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from protocol.slices import encode_slices

_LEADERS_SINCE: Final = 16


def refusal(error: SessionError) -> FetchResponse:
    """The response to a fetch with an invalid session."""
    return FetchResponse(error_code=error.code, session_id=NO_SESSION, responses=[])


def may_stay_idle(request: Request[FetchRequest], found: FoundPartitions) -> bool:
    """Whether partitions may be idle for a request.

    The record of a request has all its partitions. A topic may be hidden from one request and not
    from the next one.
    """
    return request.observer is None and found.sees_all


class FetchResponder:
    """Responds to a fetch whose partitions *found* have been read."""

    __slots__ = ("_context", "_found", "_may_throttle", "_params", "_request")

    def __init__(
        self,
        request: Request[FetchRequest],
        context: FetchContext,
        found: FoundPartitions,
        params: FetchParams,
        may_throttle: bool,
    ) -> None:
        self._request = request
        self._params = params
        self._context = context
        self._found = found
        self._may_throttle = may_throttle

    def respond(self, read: list[LogReadResult]) -> None:
        """Respond with *read*, one result for each readable partition, and those refused."""
        found = self._found
        results = list(zip(found.readable, read, strict=True))
        self._observe(results)
        results += found.refused
        response = self._throttled(results) if self._may_throttle else None
        if response is None:
            response = self._response(results)
        self._request.respond(response)

    def respond_in_slices(self, reading: Slices[list[LogReadResult]]) -> None:
        """`respond` that yields between the partitions, with what *reading* returns."""
        respond_in_slices(self._request, self._building(reading))

    def _building(self, reading: Slices[list[LogReadResult]]) -> Slices[FetchResponse]:
        read = yield from reading
        found, results = self._found, PartitionResults()
        for piece in pieces(zip(found.readable, read, strict=True)):
            self._observe(piece)
            results += piece
            yield None
        results += found.refused
        try:
            response = yield from self._response_in_slices(results)
        except SessionError as error:
            return refusal(error)
        return response

    def _observe(self, read: PartitionResults) -> None:
        """Record what is read."""
        observer = self._request.observer
        if observer is not None:
            for requested, result in read:
                observer.deliver(
                    requested.key, requested.fetch_offset, result.error, result.records
                )
                if result.preferred_read_replica is not None:
                    observer.direct(result.preferred_read_replica)

    # ----------------------------------------------------------------------------- response

    def _response(self, results: PartitionResults) -> FetchResponse:
        try:
            session_id, changed = self._context.update_and_generate_response(results)
        except SessionError as error:
            return refusal(error)
        self._rest(results)
        self._record_replicated(changed)
        response = FetchResponse(session_id=session_id, responses=_topics(changed))
        if self._has_wrong_leader(changed):
            self._add_current_leaders(response)
        return response

    def _response_in_slices(self, results: PartitionResults) -> Slices[FetchResponse]:
        """Raises `SessionError`."""
        if self._may_throttle:
            size = yield from self._size_in_slices(results)
            throttled = self._throttle(size)
            if throttled is not None:
                return throttled
        session_id, changed = yield from self._context.update_in_slices(results)
        for piece in pieces(results):
            self._rest(piece)
            yield None
        self._record_replicated(changed)
        topics = yield from _topics_in_slices(changed)
        response = FetchResponse(session_id=session_id, responses=topics)
        if self._has_wrong_leader(changed):
            yield from self._add_current_leaders_in_slices(response)
        return response

    def _rest(self, results: PartitionResults) -> None:
        """Let partitions of the session become idle whose *results* are sent."""
        session = self._context.session
        if session is not None and may_stay_idle(self._request, self._found):
            hosted = self._request.services.replicas.partitions
            session.make_idle(hosted, self._found.revision, self._params, results)

    def _has_wrong_leader(self, results: PartitionResults) -> bool:
        """Whether another node leads a partition, and the response can name that node."""
        return self._request.version >= _LEADERS_SINCE and any(
            result.error and result.error in WRONG_LEADER for _, result in results
        )

    def _add_current_leaders(self, response: FetchResponse) -> None:
        """Add the leaders of the partitions that another node leads (KIP-951)."""
        leaders = Leaders(self._request.services.image, self._request.session.listener)
        for topic in response.responses:
            self._add_leaders(leaders, topic.topic_id, topic.partitions)
        response.node_endpoints = _endpoints(leaders)

    def _add_current_leaders_in_slices(self, response: FetchResponse) -> Slices[None]:
        leaders = Leaders(self._request.services.image, self._request.session.listener)
        for topic in response.responses:
            for piece in pieces(topic.partitions):
                self._add_leaders(leaders, topic.topic_id, piece)
                yield None
        response.node_endpoints = _endpoints(leaders)

    def _add_leaders(
        self, leaders: Leaders, topic_id: UUID, partitions: Sequence[PartitionData]
    ) -> None:
        for data in partitions:
            if data.error_code in WRONG_LEADER:
                known = self._request.services.image.topic_by_id(topic_id)
                leader = leaders.of(known, data.partition_index)
                data.current_leader = LeaderIdAndEpoch(
                    leader_id=leader.node_id, leader_epoch=leader.epoch
                )

    # --------------------------------------------------------------------------- throttling

    def _throttled(self, results: PartitionResults) -> FetchResponse | None:
        """The empty response to a consumer that exceeds its quota; None if it does not."""
        try:
            return self._throttle(self._size(results) if self._is_size_needed else 0)
        except SessionError as error:
            return refusal(error)

    def _throttle(self, size: int) -> FetchResponse | None:
        """The response with no partitions if one of *size* bytes exceeds the quota; else None.

        Raises `SessionError`.
        """
        request = self._request
        if not throttle_fetch(request, size):
            return None
        session_id = self._context.throttled_session_id(request.services.fetch_sessions)
        return FetchResponse(session_id=session_id, responses=[])

    @property
    def _is_size_needed(self) -> bool:
        return self._request.services.client_quotas.fetch.quotas_enabled

    def _size(self, results: PartitionResults) -> int:
        """The size of the response with all changed partitions; raises `SessionError`."""
        return self._size_of(self._context.changed_partitions(results))

    def _size_of(self, results: PartitionResults) -> int:
        out = Output()
        start = begin_frame(out)
        encode_into(out, FetchResponse(responses=_topics(results)), self._request.version)
        return finish_frame(out, start)

    def _record_replicated(self, results: PartitionResults) -> None:
        """Count the throttled partitions of a follower (``sizeOfThrottledPartitions``)."""
        if self._params.is_throttled is None:
            return
        services = self._request.services
        throttle, hosted = services.leader_throttle, services.replicas.partitions
        throttled = PartitionResults()
        for requested, result in results:
            partition = hosted.get(requested.key)
            if partition is not None and throttle.concerns(partition):
                throttled.append((requested, result))
        throttle.record(self._size_of(throttled))

    def _size_in_slices(self, results: PartitionResults) -> Slices[int]:
        if not self._is_size_needed:
            return 0
        changed = PartitionResults()
        for piece in pieces(results):
            changed += self._context.changed_partitions(piece)
            yield None
        topics = yield from _topics_in_slices(changed)
        out = Output()
        start = begin_frame(out)
        yield from encode_slices(out, FetchResponse(responses=topics), self._request.version)
        return finish_frame(out, start)


def _endpoints(leaders: Leaders) -> list[NodeEndpoint]:
    return [
        NodeEndpoint(node_id=node_id, host=host, port=port)
        for node_id, host, port in leaders.endpoints()
    ]


def _topics(results: PartitionResults) -> list[FetchableTopicResponse]:
    topics: list[FetchableTopicResponse] = []
    _add_partitions(topics, None, results)
    return topics


def _topics_in_slices(results: PartitionResults) -> Slices[list[FetchableTopicResponse]]:
    topics: list[FetchableTopicResponse] = []
    last: object = None
    for piece in pieces(results):
        last = _add_partitions(topics, last, piece)
        yield None
    return topics


def _add_partitions(
    topics: list[FetchableTopicResponse], last: object, results: PartitionResults
) -> object:
    """Add partitions to *topics*, of which *last* is the last one; returns the last one."""
    for requested, result in results:
        topic_id, name = requested.topic_id, requested.key.topic
        topic = topic_id.int or name
        if not topics or topic != last:
            last = topic
            topics.append(
                FetchableTopicResponse(topic_id=topic_id, partitions=[])
                if topic_id.int
                else FetchableTopicResponse(topic=name, partitions=[])
            )
        topics[-1].partitions.append(_partition_data(requested.key.partition, result))
    return last


def _partition_data(partition: int, result: LogReadResult) -> PartitionData:
    data = PartitionData(
        partition_index=partition,
        error_code=result.error,
        high_watermark=result.high_watermark,
        last_stable_offset=result.last_stable_offset,
        log_start_offset=result.log_start_offset,
        aborted_transactions=None if result.aborted is None else _aborted(result.aborted),
        # Never null: librdkafka treats a null record set as a protocol error.
        records=result.records,  # type: ignore[arg-type]  # may be read when it is sent
    )
    if result.preferred_read_replica is not None:
        data.preferred_read_replica = result.preferred_read_replica
    if result.diverging_epoch is not None:
        epoch, end_offset = result.diverging_epoch
        data.diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end_offset)
    return data


def _aborted(transactions: Sequence[AbortedTxn]) -> list[AbortedTransaction]:
    return [
        AbortedTransaction(producer_id=each.producer_id, first_offset=each.first_offset)
        for each in transactions
    ]
