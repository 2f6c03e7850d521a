"""The resources that have configs, and their alteration (Kafka's ``ConfigAdminManager``).

Behaviour: each resource has its own result; if one occurs twice in a request, all its occurrences
are refused. A node alters only its own configs, or, under the empty name, those of all nodes.
Alterations are in effect when the response is sent. In Kafka the node checks its own configs and
the form of the request; the controller checks the client, the operations, the name, the values and
the existence of the topic, in this order. An unknown operation is UNKNOWN_SERVER_ERROR for all
resources that the node has not refused, unless an operation before it is invalid; it is
INVALID_REQUEST if it is on a config of the node.

The levels of loggers (`broker.api.handlers.configs.broker_loggers`) are the node's own, and only
IncrementalAlterConfigs alters them.

Deviations: a change of ``listeners`` or ``listener.security.protocol.map`` is INVALID_REQUEST:
Kafka opens and closes listeners while it runs. Loggers are those of Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, TypeVar

from broker.api.authorization.check import (
    ALTER_CLUSTER_CONFIGS,
    ALTER_GROUP_CONFIGS,
    ALTER_TOPIC_CONFIGS,
    Check,
)
from broker.api.authorization.checks import is_authorized, require
from broker.api.handlers.applied_changes import applied
from broker.api.handlers.configs.broker_loggers import alter_levels
from broker.api.request import Request
from broker.api.services import Services
from broker.common.errors import ApiError, StartupError
from broker.config import Config, dynamic, topics
from broker.config.changes import (
    OPERATIONS,
    ConfigChange,
    altered,
    check_changes,
    reaches_unknown,
)
from broker.config.dynamic import ALL_NODES
from broker.controller.controller import Controller
from broker.controller.metadata.topic_names import check_topic_name
from broker.security.resource import CLUSTER_NAME
from broker.security.tls.listener_tls import ListenerTls
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.lazy_pattern import LazyPattern

# Java's Integer.parseInt; a longer number is not the id of any node.
_INT = LazyPattern(r"[+-]?[0-9]{1,10}", re.ASCII)


class ResourceType(IntEnum):
    """The types of resources that have configs in Kafka (``ConfigResource.Type``)."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


_ALTER: Mapping[int, tuple[Check, Callable[..., None]]] = {
    ResourceType.TOPIC: (ALTER_TOPIC_CONFIGS, Controller.alter_topic_configs),
    ResourceType.BROKER: (ALTER_CLUSTER_CONFIGS, Controller.alter_broker_configs),
    ResourceType.CLIENT_METRICS: (ALTER_CLUSTER_CONFIGS, Controller.alter_client_metrics),
    ResourceType.GROUP: (ALTER_GROUP_CONFIGS, Controller.alter_group_configs),
}


Response = TypeVar("Response")


@dataclass(frozen=True, slots=True)
class AlteredResource:
    """A resource of a request; ``replaces``: configs not named return to their defaults."""

    resource_type: int
    name: str
    changes: Sequence[ConfigChange]
    replaces: bool


def alter_each(
    request: Request[Any], resources: Sequence[AlteredResource], *, validate_only: bool
) -> Slices[list[ApiError | None]]:
    """Alter each resource separately; return the error of each, or None, in the same order."""
    twice = yield from _named_twice(resources)
    all_fail = yield from _any_is_unknown_to_controller(request, resources, twice)
    outcomes: list[ApiError | None] = []
    for each in resources:
        try:
            _check_on_node(request, each, twice)
            if _is_of_loggers(each):
                alter_levels(each.changes, validate_only=validate_only)
            elif all_fail:
                raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
            else:
                _alter(request, each, validate_only=validate_only)
        except ApiError as error:
            outcomes.append(error.with_traceback(None))
        else:
            outcomes.append(None)
        yield None
    yield from applied(request)
    return outcomes


def resource_responses(
    response: Callable[..., Response], requested: Iterable[Any], outcomes: Iterable[ApiError | None]
) -> Slices[list[Response]]:
    """The response for each requested resource, with its outcome of `alter_each`."""
    responses = []
    for resource, error in zip(requested, outcomes, strict=True):
        responses.append(
            response(
                error_code=error.code if error else ErrorCode.NONE,
                error_message=error.message if error else None,
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
            )
        )
        yield None
    return responses


def _named_twice(resources: Iterable[AlteredResource]) -> Slices[set[tuple[int, str]]]:
    """The types and names that occur more than once."""
    seen, twice = set[tuple[int, str]](), set[tuple[int, str]]()
    for each in resources:
        resource = each.resource_type, each.name
        (twice if resource in seen else seen).add(resource)
        yield None
    return twice


def _any_is_unknown_to_controller(
    request: Request[Any],
    resources: Iterable[AlteredResource],
    twice: Collection[tuple[int, str]],
) -> Slices[bool]:
    for each in resources:
        if _is_unknown_to_controller(request, each, twice):
            return True
        yield None
    return False


def _is_unknown_to_controller(
    request: Request[Any], resource: AlteredResource, twice: Collection[tuple[int, str]]
) -> bool:
    """Whether the controller reaches an unknown operation on what the client may alter."""
    config = request.services.config
    if _is_of_loggers(resource) or not reaches_unknown(
        resource.changes, lambda name: topics.list_value(config, {}, name)
    ):
        return False
    try:
        _check_on_node(request, resource, twice)
        check_alteration(request, resource.resource_type, resource.name)
    except ApiError:
        return False
    return True


def _is_of_loggers(resource: AlteredResource) -> bool:
    """Whether the node itself alters the levels of loggers; AlterConfigs does not know the type."""
    return resource.resource_type == ResourceType.BROKER_LOGGER and not resource.replaces


def _unknown_operation(resource: AlteredResource) -> int | None:
    operations = (each.operation for each in resource.changes)
    return next((each for each in operations if each not in OPERATIONS), None)


def _check_on_node(
    request: Request[Any], resource: AlteredResource, twice: Collection[tuple[int, str]]
) -> None:
    """Raise `ApiError` if the node refuses a resource before the controller gets it."""
    if (resource.resource_type, resource.name) in twice:
        raise _invalid("Each resource must appear at most once.")
    check_changes(resource.changes)
    if _is_of_loggers(resource):
        if not is_authorized(request, ALTER_CLUSTER_CONFIGS):
            raise ApiError(ALTER_CLUSTER_CONFIGS.error_code)  # without a message, as in Kafka
        _check_node_of_loggers(request.services, resource.name)
        return
    if resource.resource_type not in _ALTER:
        raise _invalid(f"Unknown resource type {resource.resource_type}")
    if resource.resource_type == ResourceType.BROKER:
        check_node(request.services, resource.name)
        unknown = _unknown_operation(resource)
        if unknown is not None:
            raise _invalid(f"Unknown operations type {unknown}")


def _alter(request: Request[Any], resource: AlteredResource, *, validate_only: bool) -> None:
    services = request.services
    _, alter = _ALTER[resource.resource_type]
    if resource.resource_type != ResourceType.BROKER:
        check_alteration(request, resource.resource_type, resource.name)
    of_kind = dynamic if resource.resource_type == ResourceType.BROKER else topics

    named = _tls_named_by(services, resource)
    proposed = services.config

    def changed(current: dict[str, str]) -> dict[str, str]:
        nonlocal proposed
        after = altered(
            {} if resource.replaces else current,
            resource.changes,
            lambda name: of_kind.list_value(services.config, current, name),
            of_kind.NOT_A_LIST,
        )
        if resource.resource_type == ResourceType.BROKER:
            dynamic.check_broker_configs(services.config, resource.name, current, after)
            if named:
                proposed = services.config.with_dynamic(after)
                _check_tls(named, proposed)
            check_alteration(request, resource.resource_type, resource.name)
        else:
            _check_name(resource)
        return after

    alter(services.controller, resource.name, changed, validate_only=validate_only)
    if not validate_only:
        for listener in named:
            listener.reload(proposed)


def _tls_named_by(services: Services, resource: AlteredResource) -> list[ListenerTls]:
    """The listeners whose stores are read again, because their files may be new."""
    names = [change.name for change in resource.changes]
    return [listener for listener in services.tls.values() if listener.is_named_by(names)]


def _check_tls(listeners: Sequence[ListenerTls], config: Config) -> None:
    """Raise `ApiError` unless the listeners can use the stores of *config*."""
    try:
        for listener in listeners:
            listener.check(config)
    except StartupError as reason:
        raise _invalid(str(reason)) from None


def check_alteration(request: Request[Any], resource_type: int, name: str) -> None:
    """Raise `ApiError` unless the client may alter the configs of a resource."""
    if resource_type not in _ALTER:
        return  # its configs cannot be altered
    check, _ = _ALTER[resource_type]
    require(request, check, CLUSTER_NAME if check is ALTER_CLUSTER_CONFIGS else name)


def _check_name(resource: AlteredResource) -> None:
    name = resource.name
    if resource.resource_type == ResourceType.TOPIC:
        if not name:
            raise _invalid("Default topic resources are not allowed.")
        check_topic_name(name)
    elif resource.resource_type == ResourceType.GROUP:
        if not name:
            raise _invalid("Default group resources are not allowed.")
    elif resource.resource_type == ResourceType.CLIENT_METRICS and not name:
        raise _invalid("Subscription name can't be empty")


def check_node(services: Services, name: str) -> None:
    """Raise `ApiError` unless this node alters the configs under a name."""
    if name == ALL_NODES:
        return
    if named_node(name, "Node") != services.node_id:
        own_id = services.node_id
        raise _invalid(f"Unexpected broker id, expected {own_id}, but received {name}")


def _check_node_of_loggers(services: Services, name: str) -> None:
    if named_node(name, "Node") != services.node_id:
        raise _invalid(f"Unexpected node id. Expected {services.node_id}, but received {name}")


def named_node(name: str, kind: str) -> int:
    """The node id that a resource name contains; *kind* is a word of the `ApiError` if none."""
    named_id = node_id(name)
    if named_id is None:
        raise _invalid(f"{kind} id must be an integer, but it is: {name}")
    return named_id


def node_id(name: str) -> int | None:
    """The node id that a resource name contains; None if it is not an integer."""
    return int(name) if _INT.compiled.fullmatch(name) else None


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)
