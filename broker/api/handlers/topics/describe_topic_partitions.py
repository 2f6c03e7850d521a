"""DescribeTopicPartitions: topics and the state of their partitions, in pages (KIP-966).

Behaviour: topics are sorted by name; without names all are described. A page has at most as many
partitions as the request and ``max.request.partition.size.limit`` allow; its cursor is the
beginning of the next page. A cursor that is in none of the named topics is INVALID_REQUEST for each
of them. An unknown topic has an error, and does not count towards the limit. Topics that the client
may not describe are omitted, or refused if they are named: each page ends with those that are named
after its cursor. With an empty name, each topic of the request is UNKNOWN_SERVER_ERROR.
"""

from __future__ import annotations

from broker.api.authorization.authorized_operations import authorized_operations
from broker.api.authorization.check import DESCRIBE_TOPIC
from broker.api.authorization.checks import unauthorized
from broker.api.handlers.topics.partition_facts import Nodes, nodes_for, partition_facts
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.controller.metadata.image import PartitionRegistration, TopicImage
from broker.controller.metadata.topic_names import check_topic_name
from broker.security.resource import ResourceType
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from protocol.schema import ZERO_UUID


def describe_topic_partitions(
    request: Request[DescribeTopicPartitionsRequest],
) -> Slices[DescribeTopicPartitionsResponse]:
    """Describe one page."""
    body, image = request.body, request.services.image
    names = {topic.name for topic in body.topics} or {topic.name for topic in image}
    cursor = body.cursor
    if cursor is not None:
        if _is_invalid(cursor, names if body.topics else None):
            return DescribeTopicPartitionsResponse(
                topics=[_refused(topic.name, ErrorCode.INVALID_REQUEST) for topic in body.topics]
            )
        names = {name for name in names if name >= cursor.topic_name}
    hidden = yield from unauthorized(
        request, DESCRIBE_TOPIC, names, is_refusal_logged=bool(body.topics)
    )
    if "" in names - hidden:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    limit = min(
        body.response_partition_limit, request.services.config.max_request_partition_size_limit
    )
    response = _page(request, sorted(names - hidden), cursor, max(1, limit))
    if body.topics:
        response.topics += [
            _refused(name, ErrorCode.TOPIC_AUTHORIZATION_FAILED) for name in sorted(hidden)
        ]
    return response


def _is_invalid(cursor: Cursor, named: set[str] | None) -> bool:
    outside = named is not None and cursor.topic_name not in named
    return cursor.partition_index < 0 or outside


def _page(
    request: Request[DescribeTopicPartitionsRequest],
    names: list[str],
    cursor: Cursor | None,
    limit: int,
) -> DescribeTopicPartitionsResponse:
    """At most *limit* partitions of the topics *names*, from *cursor* on."""
    image = request.services.image
    nodes = nodes_for(image, request.session.listener)
    response = DescribeTopicPartitionsResponse(topics=[])
    for name in names:
        if limit == 0:
            response.next_cursor = Cursor(topic_name=name, partition_index=0)
            return response
        topic = image.topic(name)
        if topic is None:
            response.topics.append(_unknown(request, name))
            continue
        continued = cursor is not None and cursor.topic_name == name
        first = cursor.partition_index if cursor is not None and continued else 0
        end = min(len(topic.partitions), first + limit)
        response.topics.append(_topic(request, topic, range(first, end), nodes))
        if end < len(topic.partitions):
            response.next_cursor = Cursor(topic_name=name, partition_index=end)
            return response
        limit -= max(0, end - first)
    return response


def _topic(
    request: Request[DescribeTopicPartitionsRequest],
    topic: TopicImage,
    indexes: range,
    nodes: Nodes,
) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.internal,
        partitions=[_partition(index, topic.partitions[index], nodes) for index in indexes],
        topic_authorized_operations=authorized_operations(request, ResourceType.TOPIC, topic.name),
    )


def _partition(
    index: int, partition: PartitionRegistration, nodes: Nodes
) -> DescribeTopicPartitionsResponsePartition:
    return DescribeTopicPartitionsResponsePartition(
        **partition_facts(index, partition, nodes.reachable),
        eligible_leader_replicas=list(partition.elr),
        last_known_elr=list(partition.last_known_elr),
    )


def _unknown(
    request: Request[DescribeTopicPartitionsRequest], name: str
) -> DescribeTopicPartitionsResponseTopic:
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    try:
        check_topic_name(name)
    except ApiError as error:
        code = error.code
    result = _refused(name, code)
    result.topic_authorized_operations = authorized_operations(request, ResourceType.TOPIC, name)
    return result


def _refused(name: str, error: ErrorCode) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        error_code=error, name=name, topic_id=ZERO_UUID, partitions=[]
    )
