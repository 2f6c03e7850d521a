"""FindCoordinator: the node that coordinates a group or a transactional producer.

Behaviour: a group's coordinator leads the group's partition of ``__consumer_offsets``, the
coordinator of a transactional id its partition of ``__transaction_state``, and that of a share
partition, ``group:topicId:partition``, its partition of ``__share_group_state``. The first request
for a key creates the topic, and the error is COORDINATOR_NOT_AVAILABLE, which clients retry.
Clients must be authorized to describe the group or the transactional id, and for cluster actions
to find the coordinator of a share partition.

Versions: 1 key types and error messages, 4 many keys at once, 5 TRANSACTION_ABORTABLE,
6 coordinators of share partitions.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import partial

from broker.api.authorization.check import (
    CLUSTER_ACTION,
    DESCRIBE_GROUP,
    DESCRIBE_TRANSACTIONAL_ID,
    Check,
)
from broker.api.authorization.checks import is_authorized, require
from broker.api.handlers.auto_creation import auto_create
from broker.api.request import Request
from broker.api.services import Services
from broker.common.error_messages import message_of
from broker.common.errors import INVALID_REQUEST_WORDS, ApiError
from broker.controller.metadata.image import Broker
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.share.share_partition_key import SharePartitionKey
from broker.steps.queue import Slices, map_in_slices
from protocol.errors import ErrorCode
from protocol.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

_MANY_KEYS_SINCE = 4
_SHARE_SINCE = 6


class KeyType(IntEnum):
    """The type of a key (Kafka's ``CoordinatorType``)."""

    GROUP = 0
    TRANSACTION = 1
    SHARE = 2


# The check of each type of key, and the runtime of its coordinators.
_COORDINATORS: dict[int, tuple[Check, Callable[[Services], CoordinatorRuntime]]] = {
    KeyType.GROUP: (DESCRIBE_GROUP, lambda services: services.groups.runtime),
    KeyType.TRANSACTION: (
        DESCRIBE_TRANSACTIONAL_ID,
        lambda services: services.transactions.runtime,
    ),
    KeyType.SHARE: (CLUSTER_ACTION, lambda services: services.share_coordinator.runtime),
}
# The messages in versions with one key; a refused key has none in later versions.
_MESSAGES = {
    ErrorCode.COORDINATOR_NOT_AVAILABLE: message_of(ErrorCode.COORDINATOR_NOT_AVAILABLE),
    ErrorCode.INVALID_REQUEST: INVALID_REQUEST_WORDS,
    **{check.error_code: check.refusal.message for check, _ in _COORDINATORS.values()},
}


def find_coordinator(request: Request[FindCoordinatorRequest]) -> Slices[FindCoordinatorResponse]:
    """Return the coordinator of each key."""
    body = request.body
    if request.version >= _MANY_KEYS_SINCE:
        found_all = yield from map_in_slices(partial(_find, request), body.coordinator_keys)
        return FindCoordinatorResponse(coordinators=found_all)
    found = _find(request, body.key)
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=_message_of_one(found),
        node_id=found.node_id,
        host=found.host,
        port=found.port,
        coordinators=[],
    )


def _find(request: Request[FindCoordinatorRequest], key: str) -> Coordinator:
    try:
        node = _coordinator(request, key)
        host, port = _endpoint(node, request.session.listener)
    except ApiError as refusal:
        return Coordinator(
            key=key,
            node_id=-1,
            host="",
            port=-1,
            error_code=refusal.code,
            error_message=refusal.message or "",
        )
    return Coordinator(
        key=key,
        node_id=node.node_id,
        host=host,
        port=port,
        error_code=ErrorCode.NONE,
        error_message="",
    )


def _endpoint(node: Broker, listener: str) -> tuple[str, int]:
    """The address for the listener's clients; raises `ApiError` if none is advertised."""
    if listener not in node.endpoints:
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    return node.endpoints[listener]


def _message_of_one(found: Coordinator) -> str:
    """The message in versions with one key, which Kafka fills in without an error as well."""
    message = _MESSAGES.get(ErrorCode(found.error_code))
    return message or found.error_message or ErrorCode.NONE.name


def _coordinator(request: Request[FindCoordinatorRequest], key: str) -> Broker:
    services = request.services
    key_type = request.body.key_type
    if key_type not in _COORDINATORS:
        raise ApiError(ErrorCode.INVALID_REQUEST, INVALID_REQUEST_WORDS)
    check, runtime_of = _COORDINATORS[key_type]
    if key_type == KeyType.SHARE:
        if request.version < _SHARE_SINCE:
            raise ApiError(ErrorCode.INVALID_REQUEST)
        require(request, check)
        if SharePartitionKey.parse(key) is None:
            raise ApiError(ErrorCode.INVALID_REQUEST)
    elif not is_authorized(request, check, key):
        raise ApiError(check.error_code)
    runtime = runtime_of(services)
    if services.image.topic(runtime.topic_name) is None:
        auto_create(services.controller, services.config, runtime.topic_name)
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    return runtime.coordinator(key, services.image)
