"""The resources that have configs, and their alteration (Kafka's ``ConfigAdminManager``).

Behaviour: each resource has its own result; if one occurs twice in a request, all its occurrences
are refused. A node alters only its own configs, or, under the empty name, those of all nodes.
Alterations are in effect when the response is sent.

Deviations: the levels of loggers are not configs here, and are INVALID_REQUEST. So is a change of
``listeners`` or ``listener.security.protocol.map``: Kafka opens and closes listeners while it runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from broker.api.services import Services
from broker.common.errors import ApiError
from broker.config import dynamic, topics
from broker.config.changes import ConfigChange, altered, check_changes
from broker.config.dynamic import ALL_NODES
from broker.controller.controller import Controller
from broker.controller.topic_names import check_topic_name
from broker.steps.queue import Slices
from protocol.errors import ErrorCode

# Java's Integer.parseInt; a longer number is not the id of any node.
_INT = re.compile(r"[+-]?[0-9]{1,10}", re.ASCII)


class ResourceType(IntEnum):
    """The types of resources that have configs (``ConfigResource.Type``)."""

    TOPIC = 2
    BROKER = 4
    CLIENT_METRICS = 16
    GROUP = 32


_ALTER: Mapping[int, Callable[..., None]] = {
    ResourceType.TOPIC: Controller.alter_topic_configs,
    ResourceType.BROKER: Controller.alter_broker_configs,
    ResourceType.CLIENT_METRICS: Controller.alter_client_metrics,
    ResourceType.GROUP: Controller.alter_group_configs,
}


@dataclass(frozen=True, slots=True)
class AlteredResource:
    """A resource of a request; ``replaces``: configs not named return to their defaults."""

    resource_type: int
    name: str
    changes: Sequence[ConfigChange]
    replaces: bool


def alter_each(
    services: Services, resources: Sequence[AlteredResource], *, validate_only: bool
) -> Slices[list[ApiError | None]]:
    """Alter each resource separately; return the error of each, or None, in the same order."""
    counts = Counter((each.resource_type, each.name) for each in resources)
    outcomes: list[ApiError | None] = []
    for each in resources:
        try:
            if counts[each.resource_type, each.name] > 1:
                raise _invalid("Each resource must appear at most once.")
            _alter(services, each, validate_only=validate_only)
        except ApiError as error:
            outcomes.append(error.with_traceback(None))
        else:
            outcomes.append(None)
        yield None
    yield from services.controller.applied()
    return outcomes


def _alter(services: Services, resource: AlteredResource, *, validate_only: bool) -> None:
    if resource.resource_type not in _ALTER:
        raise _invalid(f"Unknown resource type {resource.resource_type}")
    check_changes(resource.changes)
    _check_name(services, resource)
    of_kind = dynamic if resource.resource_type == ResourceType.BROKER else topics

    def changed(current: dict[str, str]) -> dict[str, str]:
        after = altered(
            {} if resource.replaces else current,
            resource.changes,
            lambda name: of_kind.list_value(services.config, current, name),
            of_kind.NOT_A_LIST,
        )
        if resource.resource_type == ResourceType.BROKER:
            dynamic.check_broker_configs(services.config, resource.name, current, after)
        return after

    alter = _ALTER[resource.resource_type]
    alter(services.controller, resource.name, changed, validate_only=validate_only)


def _check_name(services: Services, resource: AlteredResource) -> None:
    name = resource.name
    if resource.resource_type == ResourceType.TOPIC:
        if not name:
            raise _invalid("Default topic resources are not allowed.")
        check_topic_name(name)
    elif resource.resource_type == ResourceType.GROUP:
        if not name:
            raise _invalid("Default group resources are not allowed.")
    elif resource.resource_type == ResourceType.CLIENT_METRICS:
        if not name:
            raise _invalid("Subscription name can't be empty")
    elif name != ALL_NODES:
        if node_id(name) is None:
            raise _invalid(f"Node id must be an integer, but it is: {name}")
        if node_id(name) != services.node_id:
            own_id = services.node_id
            raise _invalid(f"Unexpected broker id, expected {own_id}, but received {name}")


def node_id(name: str) -> int | None:
    """The node id that a resource name contains; None if it is not an integer."""
    return int(name) if _INT.fullmatch(name) else None


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)
