"""DeleteTopics: deletes topics by name or, from v6, by id (KIP-516).

Behaviour: each topic has its own result; a name or an id that occurs twice is refused, and so is a
topic that is named by name and by id. The timeout counts only if a valid topic is left. Requests
that wait on a deleted topic complete at once. With ``delete.topic.enable=false`` the request is
TOPIC_DELETION_DISABLED (v3+). A client that may not describe a topic does not learn whether its
name exists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from broker.api.authorization.check import DELETE_IN_CLUSTER, DELETE_TOPIC, DESCRIBE_TOPIC, Check
from broker.api.authorization.checks import is_authorized
from broker.api.handlers.applied_changes import applied
from broker.api.handlers.request_checks import check_time_left
from broker.api.request import Request
from broker.api.throttling import limited_mutations
from broker.common.error_messages import message_of
from broker.common.errors import ApiError
from broker.controller.metadata.image import TopicImage
from broker.controller.partitions.new_topics import Spend
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from protocol.schema import ZERO_UUID

_BY_STATE_SINCE = 6
_DISABLED_SINCE = 3
# Before, clients that exceed their quota are throttled, and their topics are deleted (KIP-599).
_STRICT_SINCE = 5
# They are deleted in one transaction, and in one step.
_TOPICS_PER_COMMIT = 20

_NEITHER = ApiError(ErrorCode.INVALID_REQUEST, "Neither topic name nor id were specified.")
_BOTH = ApiError(ErrorCode.INVALID_REQUEST, "You may not specify both topic name and topic id.")
_NAME_TWICE = ApiError(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
_ID_TWICE = ApiError(ErrorCode.INVALID_REQUEST, "Duplicate topic id.")
_NAME_AND_ID = ApiError(
    ErrorCode.INVALID_REQUEST, "The provided topic name maps to an ID that was already supplied."
)
_UNKNOWN_ID = ApiError(ErrorCode.UNKNOWN_TOPIC_ID, message_of(ErrorCode.UNKNOWN_TOPIC_ID))
_UNKNOWN_NAME = ApiError(
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message_of(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
)


def delete_topics(request: Request[DeleteTopicsRequest]) -> Slices[DeleteTopicsResponse]:
    """Delete each topic."""
    _check_enabled(request)
    body = request.body
    by_state = request.version >= _BY_STATE_SINCE
    deletion = _Deletion(request)
    deletion.collect(
        body.topics if by_state else [DeleteTopicState(name=name) for name in body.topic_names]
    )
    if deletion.names or deletion.ids:
        check_time_left(body.timeout_ms)
    yield from deletion.find()
    with limited_mutations(request, strict_since=_STRICT_SINCE) as spend:
        yield from deletion.delete(spend)
    yield from applied(request)
    return DeleteTopicsResponse(responses=deletion.results)


def _check_enabled(request: Request[DeleteTopicsRequest]) -> None:
    if not request.services.config.delete_topic_enable:
        raise ApiError(
            ErrorCode.TOPIC_DELETION_DISABLED
            if request.version >= _DISABLED_SINCE
            else ErrorCode.INVALID_REQUEST
        )


class _Deletion:
    """The names and ids of a request, then the topics that are found, and the results so far.

    The steps are those of Kafka's ``ControllerApis.deleteTopics``.
    """

    def __init__(self, request: Request[DeleteTopicsRequest]) -> None:
        self.names: list[str] = []
        self.ids: list[UUID] = []
        self.results: list[DeletableTopicResult] = []
        self._request = request
        self._found: dict[UUID, TopicImage] = {}
        self._ids_named_twice: set[UUID] = set()

    def collect(self, requested: Sequence[DeleteTopicState]) -> None:
        """Collect names and ids that occur once, and refuse all others."""
        names, ids = Counter[str](), Counter[UUID]()
        for each in requested:
            if each.name is None and not each.topic_id.int:
                self._refuse(None, ZERO_UUID, _NEITHER)
            elif each.name is None:
                ids[each.topic_id] += 1
            elif each.topic_id.int:
                self._refuse(each.name, each.topic_id, _BOTH)
            else:
                names[each.name] += 1
        self.names = [name for name, count in names.items() if count == 1]
        self.ids = [topic_id for topic_id, count in ids.items() if count == 1]
        for name, count in names.items():
            if count > 1:
                self._refuse(name, ZERO_UUID, _NAME_TWICE)
        for topic_id, count in ids.items():
            if count > 1:
                self._ids_named_twice.add(topic_id)
                self._refuse(None, topic_id, _ID_TWICE)

    def find(self) -> Slices[None]:
        """Find the topics that the client may delete, those with ids first."""
        for topic_id in self.ids:
            self._find_id(topic_id)
            yield None
        for name in self.names:
            self._find_name(name)
            yield None

    def delete(self, spend: Spend) -> Slices[None]:
        """Delete the topics that are found."""
        controller, found = self._request.services.controller, list(self._found.values())
        for first in range(0, len(found), _TOPICS_PER_COMMIT):
            with controller.one_commit():
                for topic in found[first : first + _TOPICS_PER_COMMIT]:
                    self._delete(topic, spend)
            yield None

    def _delete(self, topic: TopicImage, spend: Spend) -> None:
        controller = self._request.services.controller
        try:
            if controller.image.topic_by_id(topic.topic_id) is None:  # deleted meanwhile
                raise _UNKNOWN_ID
            controller.delete_topic(topic.name, spend)
        except ApiError as error:
            self._refuse(topic.name, topic.topic_id, error)
        else:
            result = DeletableTopicResult(name=topic.name, topic_id=topic.topic_id)
            self.results.append(result)

    def _find_id(self, topic_id: UUID) -> None:
        topic = self._request.services.image.topic_by_id(topic_id)
        if topic is None:
            self._refuse(None, topic_id, _UNKNOWN_ID)
        elif not self._may(DESCRIBE_TOPIC, topic.name):
            self._refuse(None, topic_id, DELETE_TOPIC.refusal)
        elif not self._may(DELETE_TOPIC, topic.name):
            self._refuse(topic.name, topic_id, DELETE_TOPIC.refusal)
        else:
            self._found[topic_id] = topic

    def _find_name(self, name: str) -> None:
        topic = self._request.services.image.topic(name)
        if not self._may(DESCRIBE_TOPIC, name):
            self._refuse(name, ZERO_UUID, DELETE_TOPIC.refusal)
        elif topic is None:
            self._refuse(name, ZERO_UUID, _UNKNOWN_NAME)
        elif not self._may(DELETE_TOPIC, name):
            self._refuse(name, ZERO_UUID, DELETE_TOPIC.refusal)
        elif topic.topic_id in self._found or topic.topic_id in self._ids_named_twice:
            self._found.pop(topic.topic_id, None)
            self._refuse(name, topic.topic_id, _NAME_AND_ID)
        else:
            self._found[topic.topic_id] = topic

    def _may(self, check: Check, name: str) -> bool:
        request = self._request
        may_delete_all = is_authorized(request, DELETE_IN_CLUSTER, is_refusal_logged=False)
        return may_delete_all or is_authorized(request, check, name)

    def _refuse(self, name: str | None, topic_id: UUID, error: ApiError) -> None:
        self.results.append(
            DeletableTopicResult(
                name=name,
                topic_id=topic_id,
                error_code=error.code,
                error_message=error.message,
            )
        )
