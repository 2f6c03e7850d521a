"""DescribeTopicPartitions: topics and who has their partitions, page by page (KIP-966).

Behaviour: topics come by name, all of them if none is named. A page holds at most as many
partitions as the request wants, and ``max.request.partition.size.limit``; the cursor says where the
next one begins. A cursor that lies in none of the topics named makes no sense: INVALID_REQUEST for
each of them. Names that are no topic's are told after those that are.

Deviations: a name that cannot be a topic's is INVALID_TOPIC_EXCEPTION, where Kafka stumbles.
"""

from __future__ import annotations

from broker.controller.image import NO_LEADER, MetadataImage, PartitionRegistration, TopicImage
from broker.controller.topic_names import check_topic_name
from broker.errors import ApiError
from broker.handlers.authorized_operations import ON_A_TOPIC
from broker.request import Request
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
) -> DescribeTopicPartitionsResponse:
    """One page."""
    body, image = request.body, request.node.image
    names = {topic.name for topic in body.topics} or {topic.name for topic in image}
    cursor = body.cursor
    if cursor is not None:
        if _is_senseless(cursor, names if body.topics else None):
            return DescribeTopicPartitionsResponse(
                topics=[_refused(topic.name, ErrorCode.INVALID_REQUEST) for topic in body.topics]
            )
        names = {name for name in names if name >= cursor.topic_name}
    known = sorted(name for name in names if image.topic(name) is not None)
    limit = min(body.response_partition_limit, request.node.config.max_request_partition_size_limit)
    response = _page(image, known, cursor, max(1, limit))
    if response.next_cursor is None:
        response.topics += [_unknown(name) for name in sorted(names.difference(known))]
    return response


def _is_senseless(cursor: Cursor, named: set[str] | None) -> bool:
    outside = named is not None and cursor.topic_name not in named
    return cursor.partition_index < 0 or outside


def _page(
    image: MetadataImage, names: list[str], cursor: Cursor | None, limit: int
) -> DescribeTopicPartitionsResponse:
    """The partitions of *names* from *cursor* on, at most *limit* of them."""
    response = DescribeTopicPartitionsResponse(topics=[])
    for name in names:
        topic = image.topics[name]
        continued = cursor is not None and cursor.topic_name == name
        first = cursor.partition_index if cursor is not None and continued else 0
        if limit == 0:
            response.next_cursor = Cursor(topic_name=name, partition_index=first)
            return response
        end = min(len(topic.partitions), first + limit)
        response.topics.append(_topic(topic, range(first, end), image))
        if end < len(topic.partitions):
            response.next_cursor = Cursor(topic_name=name, partition_index=end)
            return response
        limit -= max(0, end - first)
    return response


def _topic(
    topic: TopicImage, indexes: range, image: MetadataImage
) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.internal,
        partitions=[_partition(index, topic.partitions[index], image) for index in indexes],
        topic_authorized_operations=ON_A_TOPIC,
    )


def _partition(
    index: int, partition: PartitionRegistration, image: MetadataImage
) -> DescribeTopicPartitionsResponsePartition:
    led = image.alive(partition.leader)
    return DescribeTopicPartitionsResponsePartition(
        error_code=ErrorCode.NONE if led else ErrorCode.LEADER_NOT_AVAILABLE,
        partition_index=index,
        leader_id=partition.leader if led else NO_LEADER,
        leader_epoch=partition.leader_epoch,
        replica_nodes=list(partition.replicas),
        isr_nodes=list(partition.isr),
        eligible_leader_replicas=list(partition.elr),
        last_known_elr=list(partition.last_known_elr),
        offline_replicas=[node for node in partition.replicas if not image.alive(node)],
    )


def _unknown(name: str) -> DescribeTopicPartitionsResponseTopic:
    try:
        check_topic_name(name)
    except ApiError as error:
        return _refused(name, error.code)
    answer = _refused(name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    answer.topic_authorized_operations = ON_A_TOPIC
    return answer


def _refused(name: str, error: ErrorCode) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        error_code=error, name=name, topic_id=ZERO_UUID, partitions=[]
    )
