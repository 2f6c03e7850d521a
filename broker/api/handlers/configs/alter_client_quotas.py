"""AlterClientQuotas: sets and removes the quotas of users, client ids and addresses (KIP-546).

Behaviour: each entity has its own result, and an entity that is refused does not delay the others.
If a request names an entity twice, the first alteration is applied, and the result is an error.

Each node applies the quotas to what it measures itself (`broker.quotas`), except
``controller_mutation_rate``, which the controller applies.

Deviations: ``request_percentage`` is a share of processor time; Kafka measures the time of threads,
which includes their waits. Host names are not resolved: an ``ip`` is an address, or localhost. The
response has the entities in the request's order.
"""

from __future__ import annotations

from broker.api.authorization.check import ALTER_CLUSTER_CONFIGS
from broker.api.authorization.checks import require
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.quotas.entity import Entity, entity_of, in_java_order
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    EntityData,
    EntryData,
    EntryResponse,
)


def alter_client_quotas(
    request: Request[AlterClientQuotasRequest],
) -> Slices[AlterClientQuotasResponse]:
    """Alter the quotas of each entity."""
    require(request, ALTER_CLUSTER_CONFIGS)
    outcomes: dict[Entity, ApiError | None] = {}
    for entry in request.body.entries:
        entity = entity_of((each.entity_type, each.entity_name) for each in entry.entity)
        if entity in outcomes or _has_duplicate_key(entry):
            outcomes[entity] = _duplicate(entity)
        else:
            outcomes[entity] = _alter(request, entity, entry)
        yield None
    return AlterClientQuotasResponse(
        entries=[_response(entity, error) for entity, error in outcomes.items()]
    )


def _alter(
    request: Request[AlterClientQuotasRequest], entity: Entity, entry: EntryData
) -> ApiError | None:
    changes = {op.key: None if op.remove else op.value for op in entry.ops}
    try:
        request.services.controller.client_quotas.alter(
            entity, changes, validate_only=request.body.validate_only
        )
    except ApiError as error:
        return error
    return None


def _has_duplicate_key(entry: EntryData) -> bool:
    return len({op.key for op in entry.ops}) < len(entry.ops)


def _duplicate(entity: Entity) -> ApiError:
    ordered = in_java_order(entity)
    named = ", ".join(f"{kind}={'null' if name is None else name}" for kind, name in ordered)
    return ApiError(
        ErrorCode.INVALID_REQUEST,
        f"Ignoring duplicate entity ClientQuotaEntity(entries={{{named}}})",
    )


def _response(entity: Entity, error: ApiError | None) -> EntryResponse:
    return EntryResponse(
        error_code=error.code if error else ErrorCode.NONE,
        error_message=error.message if error else None,
        entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in entity],
    )
