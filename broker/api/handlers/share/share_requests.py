"""What ShareFetch and ShareAcknowledge have in common: their checks, and their partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from broker.api.authorization.check import READ_GROUP, READ_TOPIC
from broker.api.authorization.checks import is_authorized, require
from broker.api.handlers.request_checks import require_share_groups
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition, topic_partition
from broker.share.acknowledgement import Acknowledgement, read_acknowledgements
from broker.share.sessions import SessionKey, session_key
from broker.share.share_partition_key import SharePartitionKey, share_partition_key
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.share_fetch import AcknowledgementBatch

MEMBER_ID_LENGTH_MAX: Final = 36

# The error and the message of each partition.
Errors = dict[SharePartitionKey, tuple[ErrorCode, str | None]]


def check_member(request: Request[Any]) -> SessionKey:
    """The group and the member of a request.

    Raises `ApiError` UNSUPPORTED_VERSION if the cluster has no share groups, INVALID_REQUEST
    without a group or with a member id that cannot exist, and GROUP_AUTHORIZATION_FAILED.
    """
    body = request.body
    require_share_groups(request)
    if body.group_id is None:
        raise ApiError(ErrorCode.INVALID_REQUEST)
    require(request, READ_GROUP, body.group_id)
    if not body.member_id or len(body.member_id) > MEMBER_ID_LENGTH_MAX:
        raise ApiError(ErrorCode.INVALID_REQUEST)
    return session_key(body.group_id, body.member_id)


def count_items(topics: Sequence[Any]) -> int:
    """The number of topics, partitions and acknowledgement batches in a request."""
    items = len(topics)
    for topic in topics:
        items += len(topic.partitions)
        for partition in topic.partitions:
            items += len(partition.acknowledgement_batches)
    return items


def named_partitions(
    group_id: str, topics: Sequence[Any]
) -> Slices[dict[SharePartitionKey, Sequence[AcknowledgementBatch]]]:
    """The acknowledgement batches of each partition that a request names."""
    found: dict[SharePartitionKey, Sequence[AcknowledgementBatch]] = {}
    for topic in topics:
        for each in topic.partitions:
            key = share_partition_key(group_id, topic.topic_id, each.partition_index)
            found[key] = each.acknowledgement_batches
            yield None
    return found


def in_order(key: SharePartitionKey) -> tuple[UUID, int]:
    """The key by which the partitions of a response are sorted."""
    return key.topic_id, key.partition


def find_partitions(
    request: Request[Any], wanted: Iterable[SharePartitionKey]
) -> Slices[tuple[dict[SharePartitionKey, TopicPartition], Errors]]:
    """The names of the partitions, and the errors of those that the member cannot use."""
    image = request.services.image
    names: dict[SharePartitionKey, TopicPartition] = {}
    errors: Errors = {}
    for each in wanted:
        topic = image.topic_by_id(each.topic_id)
        if topic is None:
            errors[each] = (ErrorCode.UNKNOWN_TOPIC_ID, None)
        elif not is_authorized(request, READ_TOPIC, topic.name):
            errors[each] = (READ_TOPIC.error_code, None)
        elif not 0 <= each.partition < len(topic.partitions):
            errors[each] = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None)
        else:
            names[each] = topic_partition(topic.name, each.partition)
        yield None
    return names, errors


def acknowledge(
    request: Request[Any],
    key: SessionKey,
    batches: Mapping[SharePartitionKey, Sequence[AcknowledgementBatch]],
    found_errors: Errors,
    on_done: Callable[[Errors], None],
) -> Slices[None]:
    """Apply the acknowledgements of a request.

    *found_errors* are those of `find_partitions`. *on_done* gets the error of each partition: in
    the last slice, or later. As in Kafka, invalid batches are an error before any other but an
    unknown topic id, and partitions without batches are ignored unless others have valid ones.
    """
    errors: Errors = {}
    wanted: dict[SharePartitionKey, Sequence[Acknowledgement]] = {}
    for each, parts in batches.items():
        found = found_errors.get(each)
        if found is not None and found[0] is ErrorCode.UNKNOWN_TOPIC_ID:
            errors[each] = found
            continue
        read = ((part.first_offset, part.last_offset, part.acknowledge_types) for part in parts)
        try:
            acknowledgements = yield from read_acknowledgements(
                read, may_renew=request.body.is_renew_ack
            )
        except ApiError as error:
            errors[each] = (error.code, error.message)
            continue
        if found is None:
            wanted[each] = acknowledgements
        else:
            errors[each] = found
    if not any(wanted.values()):
        wanted = {}
    yield from request.services.share_partitions.acknowledge(
        key.member_id, wanted, lambda results: on_done({**errors, **results})
    )
