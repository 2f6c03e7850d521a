"""AlterConfigs: replaces all configs of a resource; those not named return to their defaults.

Behaviour: see `broker.api.handlers.configs.config_resources`. Deprecated in favour of
IncrementalAlterConfigs (KIP-339), which older clients do not support.

Deviations: see `broker.api.handlers.configs.config_resources`. Both occurrences of a resource that
a request names twice are refused; Kafka sends no response.
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
from protocol.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)


def alter_configs(request: Request[AlterConfigsRequest]) -> Slices[AlterConfigsResponse]:
    """Replace the configs of each resource."""
    requested = request.body.resources
    altered = yield from map_in_slices(_altered, requested)
    outcomes = yield from alter_each(request, altered, validate_only=request.body.validate_only)
    responses = yield from resource_responses(AlterConfigsResourceResponse, requested, outcomes)
    return AlterConfigsResponse(responses=responses)


def _altered(resource: AlterConfigsResource) -> AlteredResource:
    return AlteredResource(
        resource.resource_type,
        resource.resource_name,
        [ConfigChange(config.name, config.value) for config in resource.configs],
        replaces=True,
    )
