"""Metadata: brokers, topics, leaders; unknown topics may be created.

Behaviour: an empty list means all topics in v0, null does in later versions. A topic that does not
exist is created if ``auto.create.topics.enable`` and the request (v4+) allow it; this response then
has UNKNOWN_TOPIC_OR_PARTITION, and the next one the partitions. v12 and later may name topics by
id; if any topic is, topics named otherwise are omitted. A topic occurs once in the response,
however often it is named. A partition whose leader is not alive has a retriable error. Topics that
the client may not describe are omitted, or refused without their ids if they are named; refused
topics are the last ones.

The brokers are those that advertise an address for the client's listener. A partition whose leader
does not is LISTENER_NOT_FOUND.

Versions: 0 lists only alive replicas, with an error if some are not; 4 whether topics may be
created, 5 offline replicas, 6 LISTENER_NOT_FOUND (before, LEADER_NOT_AVAILABLE), 7 leader epochs,
8-10 authorized operations, 10 topic ids, 12 requests by id, 13 a top-level error.

Deviations: the controller is the first alive node, where Kafka names any.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from uuid import UUID

from broker.api.authorization.authorized_operations import authorized_operations
from broker.api.authorization.check import (
    CREATE_IN_CLUSTER,
    CREATE_TOPIC,
    DESCRIBE_CLUSTER,
    DESCRIBE_TOPIC,
)
from broker.api.authorization.checks import is_authorized, unauthorized
from broker.api.handlers.auto_creation import auto_create
from broker.api.handlers.topics.described_topic import described_topic, encoded_topic
from broker.api.handlers.topics.partition_facts import Nodes, nodes_for
from broker.api.request import Request
from broker.api.throttling import limited_auto_creation
from broker.common.errors import ApiError
from broker.controller.metadata.image import INTERNAL_TOPICS, MetadataImage, TopicImage
from broker.controller.metadata.topic_names import check_topic_name
from broker.security.resource import ResourceType
from broker.steps.queue import Slices, map_in_slices
from protocol.errors import ErrorCode
from protocol.messages.metadata import (
    EncodedMetadataResponse,
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponseTopic,
)
from protocol.slices import encode_item

_ALL_IS_EMPTY_UNTIL = 0
_IDS_IN_REQUESTS_SINCE = 12
# A topic with one of these errors has no authorized operations.
_HIDDEN = frozenset({ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.TOPIC_AUTHORIZATION_FAILED})

# A topic that the response describes, or the error in its place.
_Entry = TopicImage | MetadataResponseTopic


def metadata(request: Request[MetadataRequest]) -> Slices[EncodedMetadataResponse]:
    """Describe the cluster as this node's image has it."""
    image = request.services.image
    entries = yield from _topics(request)
    nodes = nodes_for(image, request.session.listener)
    topics = []
    for entry in entries:
        topics.append((yield from _encoded(request, entry, nodes)))
        yield None
    response = EncodedMetadataResponse(
        brokers=[
            MetadataResponseBroker(node_id=broker.node_id, host=host, port=port, rack=broker.rack)
            for broker, (host, port) in image.alive_endpoints(request.session.listener)
        ],
        cluster_id=image.cluster_id,
        controller_id=image.controller_id,
        topics=topics,
    )
    if request.body.include_cluster_authorized_operations:
        response.cluster_authorized_operations = (
            authorized_operations(request, ResourceType.CLUSTER)
            if is_authorized(request, DESCRIBE_CLUSTER)
            else 0
        )
    return response


def _encoded(request: Request[MetadataRequest], entry: _Entry, nodes: Nodes) -> Slices[bytes]:
    has_operations = request.body.include_topic_authorized_operations
    if isinstance(entry, TopicImage):
        if not has_operations:
            return (yield from encoded_topic(entry, request.version, nodes))
        entry = yield from described_topic(entry, request.version, nodes)
    if has_operations and entry.error_code not in _HIDDEN:
        entry.topic_authorized_operations = authorized_operations(
            request, ResourceType.TOPIC, entry.name or ""
        )
    return (yield from encode_item(MetadataResponse, request.version, entry))


def _topics(request: Request[MetadataRequest]) -> Slices[Sequence[_Entry]]:
    requested = request.body.topics
    if requested is None or (request.version <= _ALL_IS_EMPTY_UNTIL and not requested):
        topics = list(request.services.image)
        names_of_all = (topic.name for topic in topics)
        hidden = yield from unauthorized(
            request, DESCRIBE_TOPIC, names_of_all, is_refusal_logged=False
        )
        if hidden:
            topics = [topic for topic in topics if topic.name not in hidden]
        return topics
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
    return (yield from _requested(request, ids.values() or names.values()))


def _requested(
    request: Request[MetadataRequest], requested: Collection[MetadataRequestTopic]
) -> Slices[Sequence[_Entry]]:
    """The topics that the client may describe, and then those that are refused."""
    image = request.services.image
    names = (_name(image, topic) for topic in requested)
    hidden = yield from unauthorized(request, DESCRIBE_TOPIC, filter(None, names))
    if not hidden:
        found = yield from map_in_slices(partial(_one, request), requested)
    else:
        visible = [topic for topic in requested if _name(image, topic) not in hidden]
        found = yield from map_in_slices(partial(_one, request), visible)
        found += [_hidden(topic) for topic in requested if _name(image, topic) in hidden]
    if request.services.authorizer is not None:
        found.sort(key=_is_hidden)
    return found


def _name(image: MetadataImage, requested: MetadataRequestTopic) -> str | None:
    """The name of a topic that is named by name or id; None if the id is unknown."""
    if not requested.topic_id.int:
        return requested.name
    topic = image.topic_by_id(requested.topic_id)
    return None if topic is None else topic.name


def _hidden(requested: MetadataRequestTopic) -> MetadataResponseTopic:
    """The refusal of a topic, whether it exists or not; it has only what the request has."""
    return MetadataResponseTopic(
        error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        name=None if requested.topic_id.int else requested.name,
        topic_id=requested.topic_id,
        partitions=[],
    )


def _is_hidden(entry: _Entry) -> bool:
    if isinstance(entry, TopicImage):
        return False
    return entry.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


def _one(request: Request[MetadataRequest], requested: MetadataRequestTopic) -> _Entry:
    services = request.services
    if requested.topic_id.int:
        topic = services.image.topic_by_id(requested.topic_id)
        if topic is None:
            return _refusal(ErrorCode.UNKNOWN_TOPIC_ID, None, requested)
        return topic
    if requested.name is None:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)  # Kafka fails on the null
    topic = services.image.topic(requested.name)
    if topic is None:
        return _unknown(request, requested.name, requested)
    return topic


def _unknown(
    request: Request[MetadataRequest], name: str, requested: MetadataRequestTopic
) -> MetadataResponseTopic:
    """The error for an unknown name; the topic is created if that is allowed."""
    services = request.services
    is_created = (
        request.body.allow_auto_topic_creation and services.config.auto_create_topics_enable
    )
    if is_created and not _may_create(request, name):
        return _hidden(requested)
    try:
        check_topic_name(name)
    except ApiError as error:
        return _refusal(error.code, name, requested)
    if is_created:
        spend = limited_auto_creation(request)
        auto_create(services.controller, services.config, name, spend)
    if request.observer is not None:
        request.observer.add_unknown_topic(name)
    return _refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name, requested)


def _may_create(request: Request[MetadataRequest], name: str) -> bool:
    may_create_any = is_authorized(request, CREATE_IN_CLUSTER, is_refusal_logged=False)
    return may_create_any or is_authorized(request, CREATE_TOPIC, name)


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
