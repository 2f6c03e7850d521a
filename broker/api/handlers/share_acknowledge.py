"""ShareAcknowledge: what a member says about records that it has acquired (KIP-932).

Behaviour: the session is resolved first. All partitions are checked and applied, each completely
or not at all, and the response waits until the share coordinator has stored the changes. With the
final epoch everything else that the member has acquired is released after the response.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from broker.api.handlers.current_leader import WRONG_LEADER, Leaders
from broker.api.handlers.share_requests import Errors, acknowledge, check_member
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.share.sessions import FINAL_EPOCH, INITIAL_EPOCH, PartitionId
from broker.share.waits import ShareStateWait
from protocol.errors import ErrorCode
from protocol.messages.share_acknowledge import (
    PartitionData,
    ShareAcknowledgeRequest,
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
)
from protocol.messages.share_fetch import AcknowledgementBatch, LeaderIdAndEpoch, NodeEndpoint


def share_acknowledge(
    request: Request[ShareAcknowledgeRequest],
) -> ShareAcknowledgeResponse | Outcome:
    """Apply the acknowledgements; the response waits for their storage."""
    key = check_member(request)
    epoch = request.body.share_session_epoch
    if epoch == INITIAL_EPOCH:
        raise ApiError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
    sessions = request.services.share_partitions.sessions
    session = sessions.resume(key, epoch)
    batches = _batches(request.body)

    def respond(errors: Errors) -> None:
        request.respond(_response(request, key.group_id, errors))
        if epoch == FINAL_EPOCH:
            sessions.end(session)

    request.wait = ShareStateWait(key.group_id)
    acknowledge(request, key, batches, lambda errors: request.attempt(respond, errors))
    return PARKED


def _batches(
    body: ShareAcknowledgeRequest,
) -> dict[PartitionId, Sequence[AcknowledgementBatch]]:
    """The batches of each partition, which may have none."""
    return {
        PartitionId(topic.topic_id, partition.partition_index): partition.acknowledgement_batches
        for topic in body.topics
        for partition in topic.partitions
    }


def _response(
    request: Request[ShareAcknowledgeRequest], group_id: str, errors: Errors
) -> ShareAcknowledgeResponse:
    image = request.services.image
    leaders = Leaders(image, request.session.listener)
    topics = []
    for topic_id, group in groupby(sorted(errors), key=lambda each: each.topic_id):
        partitions = []
        for each in group:
            code, message = errors[each]
            data = PartitionData(
                partition_index=each.partition,
                error_code=code,
                error_message=message,
                current_leader=LeaderIdAndEpoch(leader_id=0, leader_epoch=0),
            )
            if code in WRONG_LEADER:
                leader = leaders.of(image.topic_by_id(topic_id), each.partition)
                data.current_leader = LeaderIdAndEpoch(
                    leader_id=leader.node_id, leader_epoch=leader.epoch
                )
            partitions.append(data)
        topics.append(ShareAcknowledgeTopicResponse(topic_id=topic_id, partitions=partitions))
    settings = request.services.share_partitions.settings(group_id)
    return ShareAcknowledgeResponse(
        acquisition_lock_timeout_ms=settings.record_lock_duration_ms,
        responses=topics,
        node_endpoints=[
            NodeEndpoint(node_id=node_id, host=host, port=port)
            for node_id, host, port in leaders.endpoints()
        ],
    )
