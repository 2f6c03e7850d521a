"""AlterClientQuotas: sets and removes quotas of users, clients and addresses (KIP-546).

v1 flexible.
"""

from __future__ import annotations

from protocol.apis import ALTER_CLIENT_QUOTAS
from protocol.schema import body, boolean, float64, int16, int32, string, struct


@body(ALTER_CLIENT_QUOTAS)
class AlterClientQuotasRequest:
    entries: list[EntryData]
    validate_only: boolean


@struct
class EntryData:
    entity: list[EntityData]
    ops: list[OpData]


@struct
class EntityData:
    entity_type: string
    entity_name: string | None


@struct
class OpData:
    key: string
    value: float64
    remove: boolean


@body(ALTER_CLIENT_QUOTAS)
class AlterClientQuotasResponse:
    throttle_time_ms: int32 = 0
    entries: list[EntryResponse]


@struct
class EntryResponse:
    error_code: int16 = 0
    error_message: string | None = None
    entity: list[EntityData]
