"""CreatePartitions: add partitions to topics (KIP-195).

Behaviour: each topic has its own result; a name that occurs twice is refused. The new partitions
are served when the response is sent.

Deviations: more than 10,000 new partitions are POLICY_VIOLATION, as in CreateTopics; Kafka responds
with UNKNOWN_SERVER_ERROR.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from broker.api.handlers.request_checks import check_time_left
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.steps.queue import Slices, each
from protocol.errors import ErrorCode
from protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)


def create_partitions(
    request: Request[CreatePartitionsRequest],
) -> Slices[CreatePartitionsResponse]:
    """Add partitions to each topic."""
    check_time_left(request.body.timeout_ms)
    counts = Counter(topic.name for topic in request.body.topics)
    once = [topic for topic in request.body.topics if counts[topic.name] == 1]
    results = yield from each(partial(_grow, request), once)
    yield from request.services.controller.applied()
    results += [
        CreatePartitionsTopicResult(
            name=name,
            error_code=ErrorCode.INVALID_REQUEST,
            error_message="Duplicate topic name.",
        )
        for name, count in counts.items()
        if count > 1
    ]
    return CreatePartitionsResponse(results=results)


def _grow(
    request: Request[CreatePartitionsRequest], requested: CreatePartitionsTopic
) -> CreatePartitionsTopicResult:
    result = CreatePartitionsTopicResult(name=requested.name, error_message=None)
    assignments = None
    if requested.assignments is not None:
        assignments = [tuple(each.broker_ids) for each in requested.assignments]
    try:
        request.services.controller.create_partitions(
            requested.name, requested.count, assignments, validate_only=request.body.validate_only
        )
    except ApiError as error:
        result.error_code, result.error_message = error.code, error.message
    return result
