"""Creates the internal topics of streams groups (``createStreamsInternalTopics``).

The topics are created after the heartbeat of a member that lacks them, in the name of its client.
The response of that heartbeat is sent when all nodes have the topics. It reports what the client
may not create, and errors of earlier creations. A topic whose creation has failed is created again
after twice the heartbeat interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from broker.api.authorization.check import CREATE_IN_CLUSTER, CREATE_TOPIC
from broker.api.authorization.checks import is_authorized, unauthorized
from broker.api.handlers.applied_changes import applied
from broker.api.request import Request
from broker.common.error_messages import message_of
from broker.common.errors import ApiError
from broker.controller.partitions.new_topics import TOPICS_PER_COMMIT
from broker.groups.streams.creation_errors import CreationErrors
from broker.groups.streams.topics.configured import ConfiguredInternalTopic
from broker.steps.queue import Slices

_ERRORS_SHOWN_MAX = 3


def create_internal_topics(
    request: Request[Any], topics: Sequence[ConfiguredInternalTopic], retry_ms: int
) -> Slices[str]:
    """Create topics; returns what the status adds about them, which may be empty."""
    errors = request.services.groups.streams.creation_errors
    names = [topic.name for topic in topics]
    if not is_authorized(request, CREATE_IN_CLUSTER, is_refusal_logged=False):
        refused = yield from unauthorized(request, CREATE_TOPIC, names)
        if refused:
            shown = ", ".join(name for name in names if name in refused)
            return f"; Unauthorized to CREATE on topics {shown}."
    known = _shown(errors, names)
    controller = request.services.controller
    # The controller may have topics that this node has not applied yet.
    absent = [
        topic
        for topic in topics
        if errors.get(topic.name) is None and controller.image.topic(topic.name) is None
    ]
    for first in range(0, len(absent), TOPICS_PER_COMMIT):
        with controller.one_commit():
            for topic in absent[first : first + TOPICS_PER_COMMIT]:
                _create(request, topic, errors, retry_ms)
        yield None
    yield from applied(request)
    return known


def _create(
    request: Request[Any], topic: ConfiguredInternalTopic, errors: CreationErrors, retry_ms: int
) -> None:
    try:
        request.services.controller.create_topic(
            topic.name,
            partitions=topic.partitions,
            replication_factor=-1 if topic.replication_factor is None else topic.replication_factor,
            configs=dict(topic.configs),
        )
    except ApiError as error:
        errors.put(topic.name, error.message or message_of(error.code) or error.code.name, retry_ms)


def _shown(errors: CreationErrors, names: Sequence[str]) -> str:
    """The first errors, and the number of the others."""
    failed = {name: error for name in names if (error := errors.get(name)) is not None}
    if not failed:
        return ""
    shown = ", ".join(
        f"{name} ({error})" for name, error in islice(failed.items(), _ERRORS_SHOWN_MAX)
    )
    left = len(failed) - _ERRORS_SHOWN_MAX
    return f"; Creation failed: {shown}{f' and {left} more' if left > 0 else ''}."
