"""Metadata: brokers, topics, leaders; unknown topics may be created.

Behaviour: an empty list means all topics in v0, null does in later versions. A topic that does not
exist is created if ``auto.create.topics.enable`` and the request (v4+) allow it; this response then
has UNKNOWN_TOPIC_OR_PARTITION, and the next one the partitions. v12 and later may name topics by
id; if any topic is, topics named otherwise are omitted. A topic occurs once in the response,
however often it is named. A partition whose leader is not alive has a retriable error.

Versions: 0 lists only alive replicas, with an error if some are not; 4 whether topics may be
created, 5 offline replicas, 7 leader epochs, 8-10 authorized operations, 10 topic ids, 12 requests
by id, 13 a top-level error.

Deviations: the controller is the first alive node, where Kafka names any. The internal topics of
transactions and share groups are not created when they are named.
"""

from __future__ import annotations

from functools import partial
from uuid import UUID

from broker.api.handlers.authorized_operations import ON_A_TOPIC, ON_THE_CLUSTER
from broker.api.handlers.auto_creation import auto_create
from broker.api.handlers.partition_facts import partition_facts
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.controller.image import (
    INTERNAL_TOPICS,
    NO_LEADER,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from broker.controller.topic_names import check_topic_name
from broker.steps.queue import Slices, each
from protocol.errors import ErrorCode
from protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

_ALL_IS_EMPTY_UNTIL = 0
_ALIVE_ONLY_UNTIL = 0
_IDS_IN_REQUESTS_SINCE = 12
# With these errors Kafka has not found the name of a topic id, and does not authorize the client.
_NOT_LOOKED_UP = frozenset({ErrorCode.UNKNOWN_TOPIC_ID})


def metadata(request: Request[MetadataRequest]) -> Slices[MetadataResponse]:
    """Describe the cluster as this node's image has it."""
    image = request.services.image
    topics = yield from _topics(request)
    if request.body.include_topic_authorized_operations:
        for each in topics:
            if each.error_code not in _NOT_LOOKED_UP:
                each.topic_authorized_operations = ON_A_TOPIC
    response = MetadataResponse(
        brokers=[
            MetadataResponseBroker(
                node_id=broker.node_id, host=broker.host, port=broker.port, rack=broker.rack
            )
            for broker in image.alive_brokers()
        ],
        cluster_id=image.cluster_id,
        controller_id=image.controller_id,
        topics=topics,
    )
    if request.body.include_cluster_authorized_operations:
        response.cluster_authorized_operations = ON_THE_CLUSTER
    return response


def _topics(request: Request[MetadataRequest]) -> Slices[list[MetadataResponseTopic]]:
    requested = request.body.topics
    if requested is None or (request.version <= _ALL_IS_EMPTY_UNTIL and not requested):
        return (yield from each(partial(_known, request), list(request.services.image)))
    ids: dict[UUID, MetadataRequestTopic] = {}
    names: dict[str | None, MetadataRequestTopic] = {}
    for topic in requested:
        names[topic.name] = topic
        if topic.topic_id.int:
            ids[topic.topic_id] = topic
        yield None
    by_id = ids or None in names
    if by_id and request.version < _IDS_IN_REQUESTS_SINCE:
        raise ApiError(ErrorCode.INVALID_REQUEST)
    return (yield from each(partial(_one, request), ids.values() or names.values()))


def _one(
    request: Request[MetadataRequest], requested: MetadataRequestTopic
) -> MetadataResponseTopic:
    services = request.services
    if requested.topic_id.int:
        topic = services.image.topic_by_id(requested.topic_id)
        if topic is None:
            return _refusal(ErrorCode.UNKNOWN_TOPIC_ID, None, requested)
        return _known(request, topic)
    if requested.name is None:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)  # Kafka fails on the null
    topic = services.image.topic(requested.name)
    if topic is None:
        return _unknown(request, requested.name, requested)
    return _known(request, topic)


def _unknown(
    request: Request[MetadataRequest], name: str, requested: MetadataRequestTopic
) -> MetadataResponseTopic:
    """The error for an unknown name; the topic is created if that is allowed."""
    try:
        check_topic_name(name)
    except ApiError as error:
        return _refusal(error.code, name, requested)
    services = request.services
    if request.body.allow_auto_topic_creation and services.config.auto_create_topics_enable:
        auto_create(services.controller, services.config, name)
    return _refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name, requested)


def _known(request: Request[MetadataRequest], topic: TopicImage) -> MetadataResponseTopic:
    partitions = [
        _partition(index, partition, request.services.image)
        for index, partition in enumerate(topic.partitions)
    ]
    if request.version <= _ALIVE_ONLY_UNTIL:
        for partition in partitions:
            _omit_offline_replicas(partition, request.services.image)
    return MetadataResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.internal,
        partitions=partitions,
    )


def _partition(
    index: int, partition: PartitionRegistration, image: MetadataImage
) -> MetadataResponsePartition:
    result = MetadataResponsePartition(**partition_facts(index, partition, image))
    if result.leader_id == NO_LEADER:
        result.error_code = ErrorCode.LEADER_NOT_AVAILABLE
    return result


def _omit_offline_replicas(partition: MetadataResponsePartition, image: MetadataImage) -> None:
    partition.replica_nodes = list(filter(image.alive, partition.replica_nodes))
    partition.isr_nodes = list(filter(image.alive, partition.isr_nodes))
    if partition.offline_replicas and partition.error_code == ErrorCode.NONE:
        partition.error_code = ErrorCode.REPLICA_NOT_AVAILABLE


def _refusal(
    error: ErrorCode, name: str | None, requested: MetadataRequestTopic
) -> MetadataResponseTopic:
    return MetadataResponseTopic(
        error_code=error,
        name=name,
        topic_id=requested.topic_id,
        is_internal=name in INTERNAL_TOPICS,
        partitions=[],
    )
