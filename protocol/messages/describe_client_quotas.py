"""DescribeClientQuotas: the quotas of users, clients and addresses (KIP-546).

v1 flexible.
"""

from __future__ import annotations

from protocol.apis import DESCRIBE_CLIENT_QUOTAS
from protocol.schema import body, boolean, float64, int8, int16, int32, string, struct


@body(DESCRIBE_CLIENT_QUOTAS)
class DescribeClientQuotasRequest:
    components: list[ComponentData]
    strict: boolean


@struct
class ComponentData:
    entity_type: string
    match_type: int8
    match: string | None


@body(DESCRIBE_CLIENT_QUOTAS)
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
