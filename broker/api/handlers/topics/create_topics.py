"""CreateTopics: creates topics, each with its own result.

Behaviour: all occurrences of a name that occurs twice in the request are refused. Each other topic
is created or refused separately, except that all are refused if they have more partitions together
than one request may create. Every node serves the new topics when the response is sent. Topics that
the client may not create are the last ones in the response; partitions and configs of those whose
configs it may not describe are omitted.

Versions: 4 defaults for partitions and replication factor (KIP-464), 5 the topic's configs in the
response, 6 THROTTLING_QUOTA_EXCEEDED (KIP-599), 7 topic ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter

from broker.api.authorization.check import (
    CREATE_IN_CLUSTER,
    CREATE_TOPIC,
    DESCRIBE_TOPIC_CONFIGS,
)
from broker.api.authorization.checks import is_authorized, unauthorized
from broker.api.handlers.applied_changes import applied
from broker.api.handlers.request_checks import check_time_left
from broker.api.request import Request
from broker.api.throttling import limited_mutations
from broker.common.errors import ApiError
from broker.config.topics import describe_topic
from broker.controller.metadata.image import TopicImage
from broker.controller.partitions.new_topics import (
    PARTITIONS_AT_ONCE,
    TOPICS_PER_COMMIT,
    Spend,
    check_partition_count,
)
from broker.steps.queue import Slices, finish
from protocol.errors import ErrorCode
from protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)

# The topic of Kafka's controllers, reserved for the cluster's metadata.
_METADATA_LOG = "__cluster_metadata"
# Before, clients that exceed their quota are throttled, and their topics are created.
_STRICT_SINCE = 6


def create_topics(request: Request[CreateTopicsRequest]) -> Slices[CreateTopicsResponse]:
    """Create each topic."""
    counts = Counter(topic.name for topic in request.body.topics)
    requested = [topic for topic in request.body.topics if counts[topic.name] == 1]
    refused = yield from _refused_names(request, [topic.name for topic in requested])
    requested = [topic for topic in requested if topic.name not in refused]
    if requested:
        check_time_left(request.body.timeout_ms)
    try:
        check_partition_count(sum(_partition_count(request, topic) for topic in requested))
    except ApiError as error:
        results = [_refusal(topic.name, error.code, error.message) for topic in requested]
    else:
        results = []
        with limited_mutations(request, strict_since=_STRICT_SINCE) as spend:
            for some in _parts(request, requested):
                results += yield from _create_some(request, some, spend)
                yield None
        yield from applied(request)
    results += [
        _refusal(name, ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
        for name, count in counts.items()
        if count > 1
    ]
    results += [
        _refusal(name, CREATE_TOPIC.error_code, "Authorization failed.")
        for name in counts
        if name in refused
    ]
    return CreateTopicsResponse(topics=results)


def _refused_names(
    request: Request[CreateTopicsRequest], names: Sequence[str]
) -> Slices[AbstractSet[str]]:
    """The topics that the client may not create; the metadata log has an error of its own."""
    if is_authorized(request, CREATE_IN_CLUSTER, is_refusal_logged=False):
        return frozenset[str]()
    creatable = [name for name in names if name != _METADATA_LOG]
    return (yield from unauthorized(request, CREATE_TOPIC, creatable))


def _partition_count(request: Request[CreateTopicsRequest], requested: CreatableTopic) -> int:
    if requested.assignments:
        return len(requested.assignments)
    default = request.services.config.num_partitions
    return default if requested.num_partitions == -1 else requested.num_partitions


def _parts(
    request: Request[CreateTopicsRequest], requested: Iterable[CreatableTopic]
) -> Iterator[list[CreatableTopic]]:
    """*requested* in parts that are small enough for one step, or single topics that are not."""
    part, partitions = list[CreatableTopic](), 0
    for topic in requested:
        count = _partition_count(request, topic)
        if part and (len(part) == TOPICS_PER_COMMIT or partitions + count > PARTITIONS_AT_ONCE):
            yield part
            part, partitions = [], 0
        part.append(topic)
        partitions += count
    if part:
        yield part


def _create_some(
    request: Request[CreateTopicsRequest], requested: Sequence[CreatableTopic], spend: Spend
) -> Slices[list[CreatableTopicResult]]:
    """Create a topic in slices, or several in one step and one transaction."""
    if len(requested) == 1:
        return [(yield from _create(request, requested[0], spend))]
    with request.services.controller.one_commit():
        return [finish(_create(request, topic, spend)) for topic in requested]


def _create(
    request: Request[CreateTopicsRequest], requested: CreatableTopic, spend: Spend
) -> Slices[CreatableTopicResult]:
    if requested.name == _METADATA_LOG:
        return _refusal(
            requested.name,
            ErrorCode.INVALID_REQUEST,
            f"Creation of internal topic {_METADATA_LOG} is prohibited.",
        )
    try:
        topic = yield from request.services.controller.topics.create(
            requested.name,
            partitions=requested.num_partitions,
            replication_factor=requested.replication_factor,
            assignments=[tuple(each.broker_ids) for each in requested.assignments],
            indexes=[each.partition_index for each in requested.assignments],
            configs=[(each.name, each.value) for each in requested.configs],
            validate_only=request.body.validate_only,
            spend=spend,
        )
    except ApiError as error:
        return _refusal(requested.name, error.code, error.message)
    return _created(request, topic)


def _created(request: Request[CreateTopicsRequest], topic: TopicImage) -> CreatableTopicResult:
    if not is_authorized(request, DESCRIBE_TOPIC_CONFIGS, topic.name):
        return CreatableTopicResult(
            name=topic.name,
            topic_id=topic.topic_id,
            topic_config_error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        )
    # As in Kafka, the configuration is that of the controller's node.
    entries = describe_topic(request.services.controller.config, topic.configs)
    return CreatableTopicResult(
        name=topic.name,
        topic_id=topic.topic_id,
        num_partitions=len(topic.partitions),
        replication_factor=len(topic.partitions[0].replicas),
        configs=[
            CreatableTopicConfigs(name=entry.name, value=entry.value, config_source=entry.source)
            for entry in sorted(entries, key=attrgetter("name"))
        ],
    )


def _refusal(name: str, error: ErrorCode, message: str | None) -> CreatableTopicResult:
    return CreatableTopicResult(name=name, error_code=error, error_message=message)
