"""DescribeClientQuotas: the quotas of users, client ids and addresses (KIP-546).

Behaviour: an entity is included if it has all types of the filter, and with ``strict`` no other
types; an empty filter includes all entities.
"""

from __future__ import annotations

from broker.api.authorization.check import DESCRIBE_CLUSTER_CONFIGS
from broker.api.authorization.checks import is_authorized
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.quotas.entity_filter import Component, matching
from broker.steps.queue import Slices
from protocol.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)


def describe_client_quotas(
    request: Request[DescribeClientQuotasRequest],
) -> Slices[DescribeClientQuotasResponse]:
    """Describe the quotas of each entity that matches."""
    if not is_authorized(request, DESCRIBE_CLUSTER_CONFIGS):
        raise ApiError(DESCRIBE_CLUSTER_CONFIGS.error_code)  # without a message, as in Kafka
    quotas = request.services.image.client_quotas
    requested = [
        Component(each.entity_type, each.match_type, each.match) for each in request.body.components
    ]
    try:
        found = list(matching(quotas, requested, strict=request.body.strict))
    except ApiError as error:
        return DescribeClientQuotasResponse(
            error_code=error.code, error_message=error.message, entries=None
        )
    entries = []
    for entity in found:
        values = quotas.get(entity, {}).items()
        entries.append(
            EntryData(
                entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in entity],
                values=[ValueData(key=key, value=value) for key, value in values],
            )
        )
        yield None
    return DescribeClientQuotasResponse(error_message="", entries=entries)
