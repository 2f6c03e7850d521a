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
from broker.steps.queue import Slices, map_in_slices
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
    altered = yield from map_in_slices(_altered, requested)
    outcomes = yield from alter_each(request, altered, validate_only=request.body.validate_only)
    responses = yield from resource_responses(AlterConfigsResourceResponse, requested, outcomes)
    return IncrementalAlterConfigsResponse(responses=responses)


def _altered(resource: AlterConfigsResource) -> AlteredResource:
    changes = [
        ConfigChange(config.name, config.value, config.config_operation)
        for config in resource.configs
    ]
    return AlteredResource(resource.resource_type, resource.resource_name, changes, replaces=False)
