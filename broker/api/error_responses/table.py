"""The response to a request that fails as a whole, by API (Kafka's ``getErrorResponse``).

A failure of the whole request is one that the handler does not know of: an unexpected exception, a
fault rule, an authorization that is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker.api.error_responses.changes import CHANGES
from broker.api.error_responses.cluster import CLUSTER
from broker.api.error_responses.failure import Failure
from broker.api.error_responses.groups import GROUPS
from broker.api.error_responses.topics import TOPICS
from protocol.errors import ErrorCode

ERROR_RESPONSES: dict[Any, Callable[[Any, Failure], object | None]] = {
    **TOPICS,
    **GROUPS,
    **CHANGES,
    **CLUSTER,
}


def error_response(
    body: Any, version: int, code: ErrorCode, message: str | None = None
) -> object | None:
    """The response that says *code* wherever Kafka says it; None: the connection is to be closed.

    *message* is shown where Kafka shows the message of the error at hand; leave it out for an
    unexpected exception, whose text concerns nobody outside.
    """
    return ERROR_RESPONSES[type(body)](body, Failure(version, code, message))
