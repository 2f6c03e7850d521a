"""The response to a ShareFetch, made from acquired records and from results of acknowledgements.

    the quotas are exceeded --> no records; the session does not change
    overtaken               --> INVALID_SHARE_SESSION_EPOCH; the session does not change
    otherwise               --> the partitions with news, of which the session takes note

Each of these has the results of the acknowledgements (KIP-932).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from broker.api.handlers.current_leader import WRONG_LEADER, Leaders
from broker.api.handlers.share.share_requests import Errors, in_order
from broker.api.request import Request
from broker.api.throttling import throttle_fetch
from broker.share.sessions import FetchContext
from broker.share.share_fetch import ShareFetchResult, ShareFetchResults
from broker.share.share_partition_key import SharePartitionKey
from broker.steps.queue import Slices
from protocol.codec import Output
from protocol.errors import ErrorCode
from protocol.frame_length import begin_frame, finish_frame
from protocol.messages.share_fetch import (
    AcquiredRecords,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareFetchableTopicResponse,
    ShareFetchRequest,
    ShareFetchResponse,
)
from protocol.slices import encode_slices

_NO_LEADER: Final = LeaderIdAndEpoch(leader_id=0, leader_epoch=0)

_Acknowledged = tuple[ErrorCode, str | None]


class ShareFetchResponder:
    """Makes the response of one request of a member of the group *group_id*."""

    __slots__ = ("_context", "_group_id", "_request")

    def __init__(
        self, request: Request[ShareFetchRequest], context: FetchContext, group_id: str
    ) -> None:
        self._request = request
        self._context = context
        self._group_id = group_id

    def building(
        self, results: ShareFetchResults, acknowledged: Errors
    ) -> Slices[ShareFetchResponse]:
        """Record what the client used, then update the session and make the response."""
        context = self._context
        is_throttled = yield from self._throttling(results)
        is_overtaken = context.is_overtaken
        sent: ShareFetchResults = {}
        if not (is_throttled or is_overtaken):
            sent = self._with_news(results)
            if not (context.is_new or context.is_final):
                self._update_session(sent)
        response = yield from self._response(sent, acknowledged)
        if is_overtaken:
            response.error_code = ErrorCode.INVALID_SHARE_SESSION_EPOCH
        return response

    # --------------------------------------------------------------------------- throttling

    def _throttling(self, results: ShareFetchResults) -> Slices[bool]:
        """Whether the client exceeds a quota; then the response is not counted."""
        request = self._request
        is_size_needed = request.services.client_quotas.fetch.quotas_enabled
        size = (yield from self._size(results)) if is_size_needed else 0
        return throttle_fetch(request, size)

    def _size(self, results: ShareFetchResults) -> Slices[int]:
        """The size of the response without results of acknowledgements."""
        sent = {} if self._context.is_overtaken else self._with_news(results)
        response = ShareFetchResponse(responses=_topics(sent), node_endpoints=[])
        out = Output()
        start = begin_frame(out)
        yield from encode_slices(out, response, self._request.version)
        return finish_frame(out, start)

    # ----------------------------------------------------------------------------- contents

    def _with_news(self, results: ShareFetchResults) -> ShareFetchResults:
        """The partitions with records or errors, and those that the session has to name.

        A new partition that could not be locked is left out, as in Kafka.
        """
        context, found = self._context, ShareFetchResults()
        for each, result in results.items():
            is_named = context.is_new or not context.session.partitions.get(each, True)
            if is_named or result.error or result.acquired:
                found[each] = result
        return found

    def _update_session(self, sent: ShareFetchResults) -> None:
        self._context.session.responded(
            sent,
            [each for each, result in sent.items() if result.acquired],
            [each for each, result in sent.items() if result.error],
        )

    def _response(
        self, sent: ShareFetchResults, acknowledged: Errors
    ) -> Slices[ShareFetchResponse]:
        leaders = Leaders(self._request.services.image, self._request.session.listener)
        topics: dict[UUID, list[PartitionData]] = {}
        for each in sorted({*sent, *acknowledged}, key=in_order):
            data = _partition_data(each, sent.get(each), acknowledged.get(each))
            self._add_leader(data, each, leaders)
            topics.setdefault(each.topic_id, []).append(data)
            yield None
        settings = self._request.services.share_partitions.settings(self._group_id)
        return ShareFetchResponse(
            acquisition_lock_timeout_ms=settings.record_lock_duration_ms,
            responses=_topic_responses(topics),
            node_endpoints=[
                NodeEndpoint(node_id=node_id, host=host, port=port)
                for node_id, host, port in leaders.endpoints()
            ],
        )

    def _add_leader(self, data: PartitionData, each: SharePartitionKey, leaders: Leaders) -> None:
        """Name the leader if the fetch, not the acknowledgement, was for another node."""
        if data.error_code in WRONG_LEADER:
            topic = self._request.services.image.topic_by_id(each.topic_id)
            leader = leaders.of(topic, each.partition)
            data.current_leader = LeaderIdAndEpoch(
                leader_id=leader.node_id, leader_epoch=leader.epoch
            )


def _topics(sent: ShareFetchResults) -> list[ShareFetchableTopicResponse]:
    topics: dict[UUID, list[PartitionData]] = {}
    for each, result in sent.items():
        topics.setdefault(each.topic_id, []).append(_partition_data(each, result, None))
    return _topic_responses(topics)


def _topic_responses(
    topics: Mapping[UUID, list[PartitionData]],
) -> list[ShareFetchableTopicResponse]:
    return [
        ShareFetchableTopicResponse(topic_id=topic_id, partitions=partitions)
        for topic_id, partitions in topics.items()
    ]


def _partition_data(
    each: SharePartitionKey, result: ShareFetchResult | None, acknowledged: _Acknowledged | None
) -> PartitionData:
    result = result or ShareFetchResult()
    code, message = acknowledged or (ErrorCode.NONE, None)
    return PartitionData(
        partition_index=each.partition,
        error_code=result.error,
        acknowledge_error_code=code,
        acknowledge_error_message=message,
        current_leader=_NO_LEADER,
        records=result.records,  # type: ignore[arg-type]  # may be read when it is sent
        acquired_records=[
            AcquiredRecords(first_offset=first, last_offset=last, delivery_count=count)
            for first, last, count in result.acquired
        ],
    )
