"""DescribeShareGroupOffsets: the start offsets of share partitions, and their lags (KIP-932).

Behaviour: without topics, all initialized share partitions of the group are described. A share
partition without a start offset has offset -1 and lag -1, also if there is no such group, topic or
share group, and if the share coordinator refuses. The share coordinator has the start offsets, and
the leaders of the partitions their ends; the response is sent when all of them have responded.
Topics that exist are there once, with each partition once, and then the others as in the request.
A share partition with a start offset whose end cannot be found has an error instead of both.
An empty group id, a negative index and a topic that exists but has no partitions in the request are
UNKNOWN_SERVER_ERROR of the group (an exception of Kafka's ``DefaultStatePersister``). Topics that
the client may not describe are left out if the request names none.

Versions: 1 the lag (KIP-1226).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from uuid import UUID

from broker.api.authorization.check import DESCRIBE_GROUP, DESCRIBE_TOPIC
from broker.api.authorization.checks import is_authorized, unauthorized
from broker.api.error_responses.failure import Failure
from broker.api.handlers.group_wait import ShareCoordinatorWait
from broker.api.handlers.request_checks import require_share_groups
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.share.offsets import ShareOffset
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
    DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
)
from protocol.schema import ZERO_UUID

_Partition = DescribeShareGroupOffsetsResponsePartition


def describe_share_group_offsets(
    request: Request[DescribeShareGroupOffsetsRequest],
) -> Slices[DescribeShareGroupOffsetsResponse | Outcome]:
    """Describe the share partitions of each group."""
    groups: list[DescribeShareGroupOffsetsResponseGroup] = []
    for each in request.body.groups:
        groups += [(yield from _group(request, each))]
    wanted = list(_wanted(groups))
    ended: list[ShareOffset] = []
    waiting: list[ResponseCallback[None]] = []

    def response(_: None) -> DescribeShareGroupOffsetsResponse:
        return DescribeShareGroupOffsetsResponse(groups=groups)

    def on_offset(partition: _Partition, found: ShareOffset) -> None:
        partition.start_offset, partition.lag = found.start_offset, found.lag
        partition.error_code, partition.error_message = found.error, found.message
        partition.leader_epoch = found.leader_epoch
        ended.append(found)
        if waiting and len(ended) == len(wanted):
            waiting[0](None)

    describe = request.services.groups.share.offsets.describe
    for group_id, name, partition in wanted:
        done: Callable[[ShareOffset], None] = partial(on_offset, partition)
        describe(group_id, name, partition.partition_index, done)
        yield None
    if len(ended) == len(wanted):
        return response(None)
    wait = ShareCoordinatorWait(groups[0].group_id if len(groups) == 1 else None)
    waiting.append(ResponseCallback(request, response, wait))
    return PARKED


def _wanted(
    groups: list[DescribeShareGroupOffsetsResponseGroup],
) -> Iterator[tuple[str, str, _Partition]]:
    """The share partitions without an error so far."""
    for group in groups:
        for topic in group.topics:
            for partition in topic.partitions:
                if not partition.error_code:
                    yield group.group_id, topic.topic_name, partition


def _group(
    request: Request[DescribeShareGroupOffsetsRequest], body: DescribeShareGroupOffsetsRequestGroup
) -> Slices[DescribeShareGroupOffsetsResponseGroup]:
    """The group with the share partitions to describe."""
    groups = request.services.groups
    try:
        require_share_groups(request)
        if not is_authorized(request, DESCRIBE_GROUP, body.group_id):
            raise ApiError(DESCRIBE_GROUP.error_code)  # in Kafka it has no message
        groups.runtime.check(body.group_id)
    except ApiError as error:
        return _refused(body, error.code, error.message)
    is_all = body.topics is None
    if body.topics is None:
        named = list(groups.share.offsets.initialized(body.group_id).items())
    else:
        named = [(topic.topic_name, topic.partitions) for topic in body.topics]
    hidden = yield from unauthorized(request, DESCRIBE_TOPIC, (name for name, _ in named))
    found: dict[str, dict[int, None]] = {}
    others: list[DescribeShareGroupOffsetsResponseTopic] = []
    for name, indexes in named:
        if name in hidden:
            if not is_all:
                others.append(_topic(name, ZERO_UUID, indexes, DESCRIBE_TOPIC.refusal))
        elif groups.share.topics.id_of(name) is None:
            others.append(_topic(name, ZERO_UUID, indexes))
        elif not (body.group_id and indexes and min(indexes) >= 0):
            failure = Failure(request.version, ErrorCode.UNKNOWN_SERVER_ERROR)
            return _refused(body, failure.code, failure.default_message)
        else:
            found.setdefault(name, {}).update(dict.fromkeys(indexes))
    topics = [
        _topic(name, groups.share.topics.id_of(name) or ZERO_UUID, indexes)
        for name, indexes in found.items()
    ]
    return DescribeShareGroupOffsetsResponseGroup(group_id=body.group_id, topics=topics + others)


def _refused(
    body: DescribeShareGroupOffsetsRequestGroup, error: ErrorCode, message: str | None
) -> DescribeShareGroupOffsetsResponseGroup:
    return DescribeShareGroupOffsetsResponseGroup(
        group_id=body.group_id, topics=[], error_code=error, error_message=message
    )


def _topic(
    name: str, topic_id: UUID, indexes: Iterable[int], refusal: ApiError | None = None
) -> DescribeShareGroupOffsetsResponseTopic:
    return DescribeShareGroupOffsetsResponseTopic(
        topic_name=name,
        topic_id=topic_id,
        partitions=[
            _Partition(
                partition_index=index,
                start_offset=-1 if refusal else 0,
                error_code=refusal.code if refusal else ErrorCode.NONE,
                error_message=refusal.message if refusal else None,
            )
            for index in indexes
        ],
    )
