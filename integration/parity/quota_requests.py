"""Sets quotas, and reads the quotas that are set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.scenario import Kafka
from protocol.messages import alter_client_quotas as alter
from protocol.messages import describe_client_quotas as describe

USER, CLIENT_ID, IP = "user", "client-id", "ip"
EXACT, DEFAULT, SPECIFIED = 0, 1, 2

Entity = Mapping[str, str | None]


def entry(entity: Entity, changes: Mapping[str, float | None]) -> alter.EntryData:
    """Return the changes of one entity; None removes a quota."""
    return alter.EntryData(
        entity=[
            alter.EntityData(entity_type=kind, entity_name=name) for kind, name in entity.items()
        ],
        ops=[
            alter.OpData(key=key, value=value or 0, remove=value is None)
            for key, value in changes.items()
        ],
    )


def altered(
    entity: Entity, changes: Mapping[str, float | None], validate_only: bool = False
) -> alter.AlterClientQuotasRequest:
    """Return a request for one entity."""
    entries = [entry(entity, changes)]
    return alter.AlterClientQuotasRequest(entries=entries, validate_only=validate_only)


def words(kafka: Kafka, request: alter.AlterClientQuotasRequest, version: int = 1) -> Any:
    """Return the results of the entities, sorted by name, because Kafka uses a hash table."""
    entries = kafka.request(request, version).entries
    reported = [(each.error_code, each.error_message, _named(each.entity)) for each in entries]
    return sorted(reported, key=str)


def found(
    kafka: Kafka, *requested: tuple[str, int, str | None], strict: bool = False, version: int = 1
) -> Any:
    """Return the matching entities and quotas, sorted by name."""
    components = [
        describe.ComponentData(entity_type=kind, match_type=match_type, match=match)
        for kind, match_type, match in requested
    ]
    request = describe.DescribeClientQuotasRequest(components=components, strict=strict)
    response = kafka.request(request, version)
    if response.entries is None:
        return response.error_code, response.error_message
    reported = [
        (_named(each.entity), sorted((value.key, value.value) for value in each.values))
        for each in response.entries
    ]
    return sorted(reported, key=str)


def values(kafka: Kafka, entity: Entity) -> dict[str, float]:
    """Return the quotas of an entity."""
    exactly = [(kind, DEFAULT if name is None else EXACT, name) for kind, name in entity.items()]
    return {key: each for _, pairs in found(kafka, *exactly, strict=True) for key, each in pairs}


def limit(kafka: Kafka, entity: Entity, key: str, rate: float) -> None:
    """Set a quota, and wait until it applies."""
    kafka.request(altered(entity, {key: rate}))
    kafka.settle()


def forget(kafka: Kafka, *entities: Entity) -> None:
    """Remove all quotas, and wait until none is left."""
    for entity in entities:
        kafka.request(altered(entity, dict.fromkeys(values(kafka, entity))))
    eventually(lambda: not any(values(kafka, entity) for entity in entities), "no quotas")


def _named(entity: Iterable[Any]) -> list[tuple[str, str | None]]:
    return sorted((each.entity_type, each.entity_name) for each in entity)
