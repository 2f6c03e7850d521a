"""DeleteTopics: deletes topics by name or, from v6, by id (KIP-516).

Behaviour: each topic has its own result; one that occurs twice is refused. Requests that wait on a
deleted topic complete at once. With ``delete.topic.enable=false`` all topics are
TOPIC_DELETION_DISABLED (v3+). A client that may not describe a topic does not learn whether its
name exists.
"""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from broker.api.authorization.check import DELETE_IN_CLUSTER, DELETE_TOPIC, DESCRIBE_TOPIC, Check
from broker.api.authorization.checks import is_authorized
from broker.api.handlers.applied_changes import applied
from broker.api.handlers.request_checks import check_time_left
from broker.api.request import Request
from broker.api.throttling import limited_mutations
from broker.common.errors import ApiError
from broker.controller.new_topics import Spend
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)

_BY_STATE_SINCE = 6
_DISABLED_SINCE = 3
# Before, clients that exceed their quota are throttled, and their topics are deleted (KIP-599).
_STRICT_SINCE = 5
# They are deleted in one transaction, and in one step.
_TOPICS_PER_COMMIT = 20


def delete_topics(request: Request[DeleteTopicsRequest]) -> Slices[DeleteTopicsResponse]:
    """Delete each topic."""
    check_time_left(request.body.timeout_ms)
    body = request.body
    requested = (
        body.topics
        if request.version >= _BY_STATE_SINCE
        else [DeleteTopicState(name=name) for name in body.topic_names]
    )
    counts = Counter((topic.name, topic.topic_id) for topic in requested)
    responses = [_duplicate(*key) for key, count in counts.items() if count > 1]
    once = [topic for topic in requested if counts[topic.name, topic.topic_id] == 1]
    with limited_mutations(request, strict_since=_STRICT_SINCE) as spend:
        for first in range(0, len(once), _TOPICS_PER_COMMIT):
            some = once[first : first + _TOPICS_PER_COMMIT]
            with request.services.controller.one_commit():
                responses += [_delete(request, topic, spend) for topic in some]
            yield None
    yield from applied(request)
    return DeleteTopicsResponse(responses=responses)


def _duplicate(name: str | None, topic_id: UUID) -> DeletableTopicResult:
    return DeletableTopicResult(
        name=name,
        topic_id=topic_id,
        error_code=ErrorCode.INVALID_REQUEST,
        error_message="Duplicate topic name." if name is not None else "Duplicate topic id.",
    )


def _delete(
    request: Request[DeleteTopicsRequest], requested: DeleteTopicState, spend: Spend
) -> DeletableTopicResult:
    result = DeletableTopicResult(name=requested.name, topic_id=requested.topic_id)
    try:
        topic_name = _name(request, requested)
        if _may(request, DESCRIBE_TOPIC, topic_name):
            result.name = topic_name
        elif requested.name is not None:
            raise DELETE_TOPIC.refusal
        topic = request.services.image.topic(topic_name)
        if topic is None:
            raise ApiError(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                "This server does not host this topic-partition.",
            )
        if not _may(request, DELETE_TOPIC, topic_name):
            raise DELETE_TOPIC.refusal
        request.services.controller.delete_topic(topic_name, spend)
        result.name, result.topic_id = topic.name, topic.topic_id
    except ApiError as error:
        result.error_code, result.error_message = error.code, error.message
    return result


def _may(request: Request[DeleteTopicsRequest], check: Check, name: str) -> bool:
    may_delete_all = is_authorized(request, DELETE_IN_CLUSTER, is_refusal_logged=False)
    return may_delete_all or is_authorized(request, check, name)


def _name(request: Request[DeleteTopicsRequest], requested: DeleteTopicState) -> str:
    if not request.services.config.delete_topic_enable:
        raise ApiError(
            ErrorCode.TOPIC_DELETION_DISABLED
            if request.version >= _DISABLED_SINCE
            else ErrorCode.INVALID_REQUEST,
            "Topic deletion is disabled.",
        )
    if requested.name is not None:
        if requested.topic_id.int:
            raise ApiError(
                ErrorCode.INVALID_REQUEST, "You may not specify both topic name and topic id."
            )
        return requested.name
    if not requested.topic_id.int:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Neither topic name nor id were specified.")
    topic = request.services.image.topic_by_id(requested.topic_id)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID, "This server does not host this topic ID.")
    return topic.name
