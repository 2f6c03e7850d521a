"""CreateTopics: make topics, each with its own answer.

Behaviour: a name that occurs twice in the request is refused in all its places; every other topic
is made or refused on its own, unless they have more partitions together than a request may ask for:
then none is made. When the answer goes out, every node already serves the new topics.

Versions: 4 defaults for partitions and factor (KIP-464), 5 the result's configs, 7 topic ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from broker.api.handlers.request_checks import check_time_left
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.config.topics import describe_topic
from broker.controller.image import TopicImage
from broker.controller.new_topics import check_partition_count
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)

# Kafka's controllers keep the cluster's metadata there, and it is no topic to anybody else.
_METADATA_LOG = "__cluster_metadata"
# They are checked, laid out and written down in one step; about 0.3 ms each.
_TOPICS_PER_COMMIT = 5


def create_topics(request: Request[CreateTopicsRequest]) -> Slices[CreateTopicsResponse]:
    """Create each topic asked for."""
    check_time_left(request.body.timeout_ms)
    counts = Counter(topic.name for topic in request.body.topics)
    asked = [topic for topic in request.body.topics if counts[topic.name] == 1]
    try:
        check_partition_count(sum(_partition_count(request, topic) for topic in asked))
    except ApiError as error:
        results = [_refusal(topic.name, error.code, error.message) for topic in asked]
    else:
        results = []
        for first in range(0, len(asked), _TOPICS_PER_COMMIT):
            results += _create_some(request, asked[first : first + _TOPICS_PER_COMMIT])
            yield None
        yield from request.services.controller.applied()
    results += [
        _refusal(name, ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
        for name, count in counts.items()
        if count > 1
    ]
    return CreateTopicsResponse(topics=results)


def _partition_count(request: Request[CreateTopicsRequest], asked: CreatableTopic) -> int:
    if asked.assignments:
        return len(asked.assignments)
    default = request.services.config.num_partitions
    return default if asked.num_partitions == -1 else asked.num_partitions


def _create_some(
    request: Request[CreateTopicsRequest], asked: Sequence[CreatableTopic]
) -> list[CreatableTopicResult]:
    with request.services.controller.one_commit():
        return [_create(request, topic) for topic in asked]


def _create(request: Request[CreateTopicsRequest], asked: CreatableTopic) -> CreatableTopicResult:
    if asked.name == _METADATA_LOG:
        return _refusal(
            asked.name,
            ErrorCode.INVALID_REQUEST,
            f"Creation of internal topic {_METADATA_LOG} is prohibited.",
        )
    try:
        topic = request.services.controller.create_topic(
            asked.name,
            partitions=asked.num_partitions,
            replication_factor=asked.replication_factor,
            assignments=_assignments(asked),
            configs=_configs(asked),
            validate_only=request.body.validate_only,
        )
    except ApiError as error:
        return _refusal(asked.name, error.code, error.message)
    return _created(request, topic)


def _assignments(asked: CreatableTopic) -> list[tuple[int, ...]]:
    """The replicas of each partition, in order; Kafka asks for 0, 1, 2, … without a gap."""
    counts = Counter(each.partition_index for each in asked.assignments)
    twice = next((index for index, count in counts.items() if count > 1), None)
    if twice is not None:
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"Found multiple manual partition assignments for partition {twice}",
        )
    by_index = {each.partition_index: tuple(each.broker_ids) for each in asked.assignments}
    if sorted(by_index) != list(range(len(asked.assignments))):
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "partitions should be a consecutive 0-based integer sequence",
        )
    return [by_index[index] for index in range(len(by_index))]


def _configs(asked: CreatableTopic) -> dict[str, str]:
    configs: dict[str, str] = {}
    for each in asked.configs:
        if each.value is None:
            raise ApiError(
                ErrorCode.INVALID_CONFIG,
                f"Null value not supported for topic configs: {each.name}",
            )
        configs[each.name] = each.value
    return configs


def _created(request: Request[CreateTopicsRequest], topic: TopicImage) -> CreatableTopicResult:
    return CreatableTopicResult(
        name=topic.name,
        topic_id=topic.topic_id,
        num_partitions=len(topic.partitions),
        replication_factor=len(topic.partitions[0].replicas),
        configs=[
            CreatableTopicConfigs(name=entry.name, value=entry.value, config_source=entry.source)
            for entry in describe_topic(request.services.config, topic.configs)
        ],
    )


def _refusal(name: str, error: ErrorCode, message: str | None) -> CreatableTopicResult:
    return CreatableTopicResult(name=name, error_code=error, error_message=message)
