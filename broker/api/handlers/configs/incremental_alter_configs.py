"""IncrementalAlterConfigs: sets, deletes, appends to and subtracts from single configs (KIP-339).

Behaviour: see `broker.api.handlers.configs.config_resources`.

Deviations: see `broker.api.handlers.configs.config_resources`.
"""

from __future__ import annotations

from broker.api.handlers.configs.config_resources import AlteredResource, alter_each
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.config.changes import ConfigChange
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.incremental_alter_configs import (
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)


def incremental_alter_configs(
    request: Request[IncrementalAlterConfigsRequest],
) -> Slices[IncrementalAlterConfigsResponse]:
    """Alter the configs of each resource."""
    requested = request.body.resources
    outcomes = yield from alter_each(
        request,
        [
            AlteredResource(
                each.resource_type,
                each.resource_name,
                [
                    ConfigChange(config.name, config.value, config.config_operation)
                    for config in each.configs
                ],
                replaces=False,
            )
            for each in requested
        ],
        validate_only=request.body.validate_only,
    )
    return IncrementalAlterConfigsResponse(responses=list(map(_response, requested, outcomes)))


def _response(
    resource: AlterConfigsResource, error: ApiError | None
) -> AlterConfigsResourceResponse:
    return AlterConfigsResourceResponse(
        error_code=error.code if error else ErrorCode.NONE,
        error_message=error.message if error else None,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )
