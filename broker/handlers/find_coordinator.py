"""FindCoordinator: which node looks after a group, or after a transactional producer.

Behaviour: the node asked is the coordinator of every group and every transactional id.

Versions: 1 key types and error messages, 4 many keys at once, 5 TRANSACTION_ABORTABLE,
6 coordinators of share partitions.

Deviations: share partitions have no coordinator here, INVALID_REQUEST tells so. Kafka first answers
COORDINATOR_NOT_AVAILABLE while it creates the topic behind a coordinator; here nothing is to be
waited for.
"""

from __future__ import annotations

from enum import IntEnum

from broker.request import Request
from protocol.errors import ErrorCode
from protocol.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

_MANY_KEYS_SINCE = 4
_NO_SUCH_COORDINATOR = "This broker has no coordinators for keys of this type."


class KeyType(IntEnum):
    """What a key names (Kafka's ``CoordinatorType``)."""

    GROUP = 0
    TRANSACTION = 1
    SHARE = 2


def find_coordinator(request: Request[FindCoordinatorRequest]) -> FindCoordinatorResponse:
    """Name this node, once for each key."""
    body, node = request.body, request.node
    error = ErrorCode.NONE
    if body.key_type not in (KeyType.GROUP, KeyType.TRANSACTION):
        error = ErrorCode.INVALID_REQUEST
    node_id, host, port = (-1, "", -1) if error else (node.id, node.host, node.port)
    if request.version < _MANY_KEYS_SINCE:
        # Kafka spells success out, too.
        message = _NO_SUCH_COORDINATOR if error else ErrorCode.NONE.name
        return FindCoordinatorResponse(
            error_code=error,
            error_message=message,
            node_id=node_id,
            host=host,
            port=port,
            coordinators=[],
        )
    return FindCoordinatorResponse(
        coordinators=[
            Coordinator(
                key=key,
                node_id=node_id,
                host=host,
                port=port,
                error_code=error,
                error_message=_NO_SUCH_COORDINATOR if error else "",
            )
            for key in body.coordinator_keys
        ]
    )
