"""ListConfigResources: the resources that have configs, of all types or of some (KIP-1142).

Behaviour: v1 without types lists all resources that can be listed. An unknown type is
UNSUPPORTED_VERSION.
"""

from __future__ import annotations

from collections.abc import Iterator

from broker.api.authorization.check import DESCRIBE_CLUSTER_CONFIGS
from broker.api.authorization.checks import require
from broker.api.handlers.configs.config_resources import ResourceType
from broker.api.request import Request
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)

_TYPES_SINCE = 1
_LISTED = frozenset(ResourceType)


def list_config_resources(
    request: Request[ListConfigResourcesRequest],
) -> Slices[ListConfigResourcesResponse]:
    """List the names of the resources."""
    require(request, DESCRIBE_CLUSTER_CONFIGS)
    if request.version < _TYPES_SINCE:
        types = frozenset[int]({ResourceType.CLIENT_METRICS})
        return ListConfigResourcesResponse(config_resources=list(_resources(request, types)))
    types = frozenset[int](request.body.resource_types) or _LISTED
    if not types <= _LISTED:
        return ListConfigResourcesResponse(
            error_code=ErrorCode.UNSUPPORTED_VERSION, config_resources=[]
        )
    resources = []
    for resource in _resources(request, types):
        resources.append(resource)
        yield None
    return ListConfigResourcesResponse(config_resources=resources)


def _resources(
    request: Request[ListConfigResourcesRequest], types: frozenset[int]
) -> Iterator[ConfigResource]:
    image = request.services.image
    if ResourceType.TOPIC in types:
        for topic in list(image):
            yield ConfigResource(resource_name=topic.name, resource_type=ResourceType.TOPIC)
    for resource_type in (ResourceType.BROKER, ResourceType.BROKER_LOGGER):
        if resource_type in types:
            for broker in image.alive_brokers():
                yield ConfigResource(resource_name=str(broker.node_id), resource_type=resource_type)
    if ResourceType.GROUP in types:
        for group_id in list(image.group_configs):
            yield ConfigResource(resource_name=group_id, resource_type=ResourceType.GROUP)
    if ResourceType.CLIENT_METRICS in types:
        for name in image.client_metrics:
            yield ConfigResource(resource_name=name, resource_type=ResourceType.CLIENT_METRICS)
