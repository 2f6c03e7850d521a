"""CreatePartitions: adds partitions to topics (KIP-195).

Behaviour: each topic has its own result; a name that occurs twice is refused, and so are topics
that the client may not alter. The new partitions are served when the response is sent.

Deviations: more than 10,000 new partitions are POLICY_VIOLATION, as in CreateTopics; Kafka responds
with UNKNOWN_SERVER_ERROR.
"""

from __future__ import annotations

from collections import Counter

from broker.api.authorization.check import ALTER_TOPIC
from broker.api.authorization.checks import unauthorized
from broker.api.handlers.applied_changes import applied
from broker.api.handlers.request_checks import check_time_left
from broker.api.request import Request
from broker.api.throttling import limited_mutations
from broker.common.errors import ApiError
from broker.controller.partitions.new_topics import Spend
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)

# Before, clients that exceed their quota are throttled, and their partitions are created (KIP-599).
_STRICT_SINCE = 3


def create_partitions(
    request: Request[CreatePartitionsRequest],
) -> Slices[CreatePartitionsResponse]:
    """Add partitions to each topic."""
    counts = Counter(topic.name for topic in request.body.topics)
    once = [topic for topic in request.body.topics if counts[topic.name] == 1]
    refused = yield from unauthorized(request, ALTER_TOPIC, (topic.name for topic in once))
    once = [topic for topic in once if topic.name not in refused]
    if once:
        check_time_left(request.body.timeout_ms)
    with limited_mutations(request, strict_since=_STRICT_SINCE) as spend:
        grown = []
        for topic in once:
            grown.append((yield from _grow(request, spend, topic)))
            yield None
    yield from applied(request)
    results = [
        CreatePartitionsTopicResult(
            name=name,
            error_code=ErrorCode.INVALID_REQUEST,
            error_message="Duplicate topic name.",
        )
        for name, count in counts.items()
        if count > 1
    ]
    results += [
        CreatePartitionsTopicResult(name=name, error_code=ALTER_TOPIC.error_code)
        for name in counts
        if name in refused
    ]
    return CreatePartitionsResponse(results=results + grown)


def _grow(
    request: Request[CreatePartitionsRequest], spend: Spend, requested: CreatePartitionsTopic
) -> Slices[CreatePartitionsTopicResult]:
    result = CreatePartitionsTopicResult(name=requested.name, error_message=None)
    assignments = None
    if requested.assignments is not None:
        assignments = [tuple(each.broker_ids) for each in requested.assignments]
    try:
        yield from request.services.controller.topics.grow(
            requested.name,
            requested.count,
            assignments,
            validate_only=request.body.validate_only,
            spend=spend,
        )
    except ApiError as error:
        result.error_code, result.error_message = error.code, error.message
    return result
