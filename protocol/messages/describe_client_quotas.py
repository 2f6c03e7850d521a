"""DescribeClientQuotas: the quotas of users, clients and addresses (KIP-546).

v1 flexible.
"""

from __future__ import annotations

from protocol.schema import boolean, float64, int8, int16, int32, message, string, struct


@message(48, versions=(0, 1), flexible=1)
class DescribeClientQuotasRequest:
    components: list[ComponentData]
    strict: boolean


@struct
class ComponentData:
    entity_type: string
    match_type: int8
    match: string | None


@message(48, versions=(0, 1), flexible=1)
class DescribeClientQuotasResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    entries: list[EntryData] | None


@struct
class EntryData:
    entity: list[EntityData]
    values: list[ValueData]


@struct
class EntityData:
    entity_type: string
    entity_name: string | None


@struct
class ValueData:
    key: string
    value: float64
