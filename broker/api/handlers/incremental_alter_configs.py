"""IncrementalAlterConfigs: set, delete, append to and subtract from single configs (KIP-339).

Behaviour: see `broker.api.handlers.config_resources`. An unknown operation is UNKNOWN_SERVER_ERROR,
as in Kafka.

Deviations: see `broker.api.handlers.config_resources`.
"""

from __future__ import annotations

from broker.api.handlers.config_resources import AlteredResource, alter_each
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.config.changes import ConfigChange, Operation
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.incremental_alter_configs import (
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
        request.services,
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
            *(_response(each, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)) for each in refused),
        ]
    )


def _operations_known(resource: AlterConfigsResource) -> bool:
    return all(each.config_operation in _OPERATIONS for each in resource.configs)


def _response(
    resource: AlterConfigsResource, error: ApiError | None
) -> AlterConfigsResourceResponse:
    return AlterConfigsResourceResponse(
        error_code=error.code if error else ErrorCode.NONE,
        error_message=error.message if error else None,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )
