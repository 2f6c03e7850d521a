"""The error response of each API, for a request that fails as a whole (``getErrorResponse``).

The handler does not produce such an error: it is an unexpected exception, a fault rule, or a
missing authorization.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker.api.error_responses.changes import CHANGES
from broker.api.error_responses.cluster import CLUSTER
from broker.api.error_responses.failure import Failure
from broker.api.error_responses.groups import GROUPS
from broker.api.error_responses.security import SECURITY
from broker.api.error_responses.share_groups import SHARE_GROUPS
from broker.api.error_responses.share_partitions import SHARE_PARTITIONS
from broker.api.error_responses.share_states import SHARE_STATES
from broker.api.error_responses.streams_groups import STREAMS_GROUPS
from broker.api.error_responses.topics import TOPICS
from broker.api.error_responses.transactions import TRANSACTIONS
from protocol.errors import ErrorCode

ERROR_RESPONSES: dict[Any, Callable[[Any, Failure], object | None]] = {
    **TOPICS,
    **GROUPS,
    **CHANGES,
    **CLUSTER,
    **TRANSACTIONS,
    **SECURITY,
    **SHARE_GROUPS,
    **STREAMS_GROUPS,
    **SHARE_STATES,
    **SHARE_PARTITIONS,
}


def error_response(
    body: Any, version: int, code: ErrorCode, message: str | None = None
) -> object | None:
    """The response with *code* in each place where Kafka has it; None: close the connection.

    *message* is used where Kafka uses the message of the particular error. It is None for an
    unexpected exception, whose text must not leave the broker.
    """
    return ERROR_RESPONSES[type(body)](body, Failure(version, code, message))
