"""IncrementalAlterConfigs: set, delete, append to and subtract from single configs (KIP-339).

Behaviour: see `broker.api.handlers.config_resources`. An unknown operation is UNKNOWN_SERVER_ERROR,
as in Kafka, but INVALID_REQUEST if it is on a config of a node.

Deviations: see `broker.api.handlers.config_resources`.
"""

from __future__ import annotations

from broker.api.handlers.config_resources import (
    AlteredResource,
    ResourceType,
    alter_each,
    check_alteration,
    check_node,
)
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.config.changes import ConfigChange, Operation
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)

_OPERATIONS = frozenset(Operation)


def incremental_alter_configs(
    request: Request[IncrementalAlterConfigsRequest],
) -> Slices[IncrementalAlterConfigsResponse]:
    """Alter the configs of each resource."""
    requested = request.body.resources
    known = [each for each in requested if _operations_known(each)]
    outcomes = yield from alter_each(
        request,
        [
            AlteredResource(
                each.resource_type,
                each.resource_name,
                [
                    ConfigChange(config.name, config.value, Operation(config.config_operation))
                    for config in each.configs
                ],
                replaces=False,
            )
            for each in known
        ],
        validate_only=request.body.validate_only,
    )
    refused = [each for each in requested if not _operations_known(each)]
    return IncrementalAlterConfigsResponse(
        responses=[
            *map(_response, known, outcomes),
            *(_response(each, _refusal(request, each)) for each in refused),
        ]
    )


def _refusal(
    request: Request[IncrementalAlterConfigsRequest], resource: AlterConfigsResource
) -> ApiError:
    """The error of a resource with an unknown operation."""
    try:
        if resource.resource_type == ResourceType.BROKER:
            check_node(request.services, resource.resource_name)
            code = next(c.config_operation for c in resource.configs if not _is_known(c))
            return ApiError(ErrorCode.INVALID_REQUEST, f"Unknown operations type {code}")
        check_alteration(request, resource.resource_type, resource.resource_name)
    except ApiError as error:
        return error
    return ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)


def _operations_known(resource: AlterConfigsResource) -> bool:
    return all(map(_is_known, resource.configs))


def _is_known(config: AlterableConfig) -> bool:
    return config.config_operation in _OPERATIONS


def _response(
    resource: AlterConfigsResource, error: ApiError | None
) -> AlterConfigsResourceResponse:
    return AlterConfigsResourceResponse(
        error_code=error.code if error else ErrorCode.NONE,
        error_message=error.message if error else None,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )
