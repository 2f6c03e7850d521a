"""Describes the consumer, share or streams groups that a request names.

Behaviour: each group has its own error; a group id that occurs twice is described twice, and groups
of other types are GROUP_ID_NOT_FOUND. Groups that the client may not describe come first, then
empty ids. A group with a topic that it may not describe has no members in the response.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from broker.api.authorization.authorized_operations import authorized_operations
from broker.api.authorization.check import DESCRIBE_GROUP, DESCRIBE_TOPIC
from broker.api.authorization.checks import unauthorized
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.security.resource import ResourceType
from broker.steps.queue import Slices
from protocol.errors import ErrorCode

_HAS_HIDDEN_TOPICS = (
    "The group has described topic(s) that the client is not authorized to describe."
)


class _Described(Protocol):
    """A group in a response; each of its members has an assignment."""

    error_code: int
    group_id: str
    members: list[Any]
    authorized_operations: int


Found = TypeVar("Found")
Described = TypeVar("Described", bound=_Described)


def described_groups(
    request: Request[Any],
    find: Callable[[str], Found],
    describe: Callable[[Found], Slices[Described]],
    refused: Callable[..., Described],
    topic_names: Callable[[Described], Iterable[str]],
    hidden_message: str = _HAS_HIDDEN_TOPICS,
) -> Slices[list[Described]]:
    """Describe each group of the request.

    *find* returns the group of an id or raises `ApiError`, *describe* makes its description and
    *refused* that of an error. A group with one of *topic_names* that the client may not describe
    is refused with *hidden_message*.
    """
    group_ids: list[str] = request.body.group_ids
    hidden = yield from unauthorized(request, DESCRIBE_GROUP, group_ids)
    groups = [
        refused(group_id=group_id, error_code=DESCRIBE_GROUP.error_code, members=[])
        for group_id in group_ids
        if group_id in hidden
    ]
    for group_id in sorted(group_ids, key=bool):  # Kafka refuses empty ids at once
        if group_id not in hidden:
            try:
                found = _checked(request, group_id, find)
            except ApiError as error:
                groups.append(_error(refused, group_id, error))
            else:
                group = yield from describe(found)
                if (yield from unauthorized(request, DESCRIBE_TOPIC, topic_names(group))):
                    hides_topics = ApiError(DESCRIBE_TOPIC.error_code, hidden_message)
                    group = _error(refused, group_id, hides_topics)
                groups.append(group)
        yield None
    if request.body.include_authorized_operations:
        for group in groups:
            if not group.error_code:
                group.authorized_operations = authorized_operations(
                    request, ResourceType.GROUP, group.group_id
                )
    return groups


def _checked(request: Request[Any], group_id: str, find: Callable[[str], Found]) -> Found:
    if not group_id:
        raise ApiError(ErrorCode.INVALID_GROUP_ID)
    request.services.groups.runtime.check(group_id)
    return find(group_id)


def _error(refused: Callable[..., Described], group_id: str, error: ApiError) -> Described:
    return refused(
        group_id=group_id, error_code=error.code, error_message=error.message, members=[]
    )


def assigned_topics(assignments: Iterable[Any]) -> Iterable[str]:
    """The topics of assignments in a description."""
    return (topic.topic_name for each in assignments for topic in each.topic_partitions)
