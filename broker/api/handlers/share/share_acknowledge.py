"""ShareAcknowledge: what a member says about records that it has acquired (KIP-932).

Behaviour: the session is resolved first. All partitions are checked and applied, each completely
or not at all, and the response waits until the share coordinator has stored the changes. With the
final epoch everything else that the member has acquired is released after the response.
"""

from __future__ import annotations

from uuid import UUID

from broker.api.handlers.current_leader import WRONG_LEADER, Leaders
from broker.api.handlers.share.share_requests import (
    Errors,
    acknowledge,
    check_member,
    count_items,
    find_partitions,
    in_order,
    named_partitions,
)
from broker.api.long_request import ITEMS_AT_ONCE, respond_in_slices
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.share.sessions import FINAL_EPOCH, INITIAL_EPOCH, SessionKey, ShareSession
from broker.share.waits import ShareStateWait
from broker.steps.queue import Slices, finish
from protocol.errors import ErrorCode
from protocol.messages.share_acknowledge import (
    PartitionData,
    ShareAcknowledgeRequest,
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
)
from protocol.messages.share_fetch import LeaderIdAndEpoch, NodeEndpoint

_Result = ShareAcknowledgeResponse | Outcome


def share_acknowledge(request: Request[ShareAcknowledgeRequest]) -> _Result | Slices[_Result]:
    """Apply the acknowledgements, many in slices; the response waits for their storage."""
    slices = _share_acknowledge(request)
    is_long = count_items(request.body.topics) > ITEMS_AT_ONCE
    return slices if is_long else finish(slices)


def _share_acknowledge(request: Request[ShareAcknowledgeRequest]) -> Slices[_Result]:
    key = check_member(request)
    epoch = request.body.share_session_epoch
    if epoch == INITIAL_EPOCH:
        raise ApiError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
    session = request.services.share_partitions.sessions.resume(key, epoch)
    batches = yield from named_partitions(key.group_id, request.body.topics)
    exchange = _Exchange(request, key, session if epoch == FINAL_EPOCH else None)
    _, errors = yield from find_partitions(request, batches)
    yield from acknowledge(request, key, batches, errors, exchange.done)
    if exchange.errors is not None:
        return (yield from exchange.building(exchange.errors))
    exchange.is_parked = True
    request.wait = ShareStateWait(key.group_id)
    return PARKED


class _Exchange:
    """One ShareAcknowledge; *ended* is the session that ends with it, if any.

    ``errors`` are the results of its partitions, when all of them are there.
    """

    __slots__ = ("_ended", "_key", "_request", "errors", "is_parked")

    def __init__(
        self,
        request: Request[ShareAcknowledgeRequest],
        key: SessionKey,
        ended: ShareSession | None,
    ) -> None:
        self._request = request
        self._key = key
        self._ended = ended
        self.errors: Errors | None = None
        self.is_parked = False

    def done(self, errors: Errors) -> None:
        """Respond, because all acknowledgements have been stored or refused."""
        self.errors = errors
        if self.is_parked:
            self._request.attempt(self._respond, errors)

    def _respond(self, errors: Errors) -> None:
        if len(errors) > ITEMS_AT_ONCE:
            respond_in_slices(self._request, self.building(errors))
        else:
            self._request.respond(finish(self.building(errors)))

    def building(self, errors: Errors) -> Slices[ShareAcknowledgeResponse]:
        """Make the response, and end the session after the final epoch."""
        request = self._request
        response = yield from _response(request, self._key.group_id, errors)
        if self._ended is not None:
            request.services.share_partitions.sessions.end(self._ended)
        return response


def _response(
    request: Request[ShareAcknowledgeRequest], group_id: str, errors: Errors
) -> Slices[ShareAcknowledgeResponse]:
    image = request.services.image
    leaders = Leaders(image, request.session.listener)
    topics: dict[UUID, list[PartitionData]] = {}
    for each in sorted(errors, key=in_order):
        code, message = errors[each]
        data = PartitionData(
            partition_index=each.partition,
            error_code=code,
            error_message=message,
            current_leader=LeaderIdAndEpoch(leader_id=0, leader_epoch=0),
        )
        if code in WRONG_LEADER:
            leader = leaders.of(image.topic_by_id(each.topic_id), each.partition)
            data.current_leader = LeaderIdAndEpoch(
                leader_id=leader.node_id, leader_epoch=leader.epoch
            )
        topics.setdefault(each.topic_id, []).append(data)
        yield None
    settings = request.services.share_partitions.settings(group_id)
    return ShareAcknowledgeResponse(
        acquisition_lock_timeout_ms=settings.record_lock_duration_ms,
        responses=[
            ShareAcknowledgeTopicResponse(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in topics.items()
        ],
        node_endpoints=[
            NodeEndpoint(node_id=node_id, host=host, port=port)
            for node_id, host, port in leaders.endpoints()
        ],
    )
