"""DeleteShareGroupOffsets: deletes the states of topics of an empty share group (KIP-932).

Behaviour: a topic of which the group has no state is UNKNOWN_TOPIC_OR_PARTITION, as often as the
request names it; a topic whose state is deleted is in the response once. The response is sent when
the share coordinator has deleted the states.

Versions: only 0.
"""

from __future__ import annotations

from uuid import UUID

from broker.api.authorization.check import DELETE_GROUP, READ_TOPIC
from broker.api.authorization.checks import require, unauthorized
from broker.api.handlers.group_wait import ShareCoordinatorWait
from broker.api.handlers.request_checks import require_share_groups
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.error_messages import message_of
from broker.common.errors import ApiError
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)
from protocol.schema import ZERO_UUID

_UNKNOWN_TOPIC = message_of(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
_NO_STATE = "There is no offset information to delete."

_Topic = DeleteShareGroupOffsetsResponseTopic
_Deleted = dict[str, tuple[UUID, ErrorCode]]


def delete_share_group_offsets(
    request: Request[DeleteShareGroupOffsetsRequest],
) -> Slices[DeleteShareGroupOffsetsResponse | Outcome]:
    """Delete the states of each topic."""
    require_share_groups(request)
    body, groups = request.body, request.services.groups
    require(request, DELETE_GROUP, body.group_id)
    names = list(dict.fromkeys(topic.topic_name for topic in body.topics))
    hidden = yield from unauthorized(request, READ_TOPIC, names)
    waiting: list[ResponseCallback[None]] = []
    deleted: list[_Deleted] = []

    def response(_: None) -> DeleteShareGroupOffsetsResponse:
        refused = [each.topic_name for each in body.topics if each.topic_name not in deleted[0]]
        topics = [_refused(request, name, is_hidden=name in hidden) for name in refused]
        return DeleteShareGroupOffsetsResponse(responses=[*_deleted_topics(deleted[0]), *topics])

    def on_end(ended: _Deleted) -> None:
        deleted.append(ended)
        if waiting:
            waiting[0](None)

    try:
        visible = [name for name in names if name not in hidden]
        groups.share.offsets.delete(body.group_id, visible, on_end)
    except ApiError as error:
        return DeleteShareGroupOffsetsResponse(
            error_code=error.code, error_message=error.message, responses=[]
        )
    if deleted:
        return response(None)
    wait = ShareCoordinatorWait(body.group_id)
    waiting.append(ResponseCallback(request, response, wait))
    return PARKED


def _deleted_topics(deleted: _Deleted) -> list[_Topic]:
    return [
        _Topic(topic_name=name, topic_id=topic_id, error_code=error)
        for name, (topic_id, error) in deleted.items()
    ]


def _refused(
    request: Request[DeleteShareGroupOffsetsRequest], name: str, *, is_hidden: bool
) -> _Topic:
    if is_hidden:
        refusal = READ_TOPIC.refusal
        return _failed(name, refusal.code, refusal.message)
    is_known = request.services.groups.share.topics.id_of(name) is not None
    words = _NO_STATE if is_known else _UNKNOWN_TOPIC
    return _failed(name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, words)


def _failed(name: str, error: ErrorCode, message: str | None) -> _Topic:
    return _Topic(topic_name=name, topic_id=ZERO_UUID, error_code=error, error_message=message)
