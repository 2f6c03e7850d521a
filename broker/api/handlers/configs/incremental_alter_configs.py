"""IncrementalAlterConfigs: sets, deletes, appends to and subtracts from single configs (KIP-339).

Behaviour: see `broker.api.handlers.configs.config_resources`.

Deviations: see `broker.api.handlers.configs.config_resources`.
"""

from __future__ import annotations

from broker.api.handlers.configs.config_resources import (
    AlteredResource,
    alter_each,
    resource_responses,
)
from broker.api.request import Request
from broker.config.changes import ConfigChange
from broker.steps.queue import Slices
from protocol.messages.incremental_alter_configs import (
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
    responses = resource_responses(AlterConfigsResourceResponse, requested, outcomes)
    return IncrementalAlterConfigsResponse(responses=responses)
