"""ListConfigResources: resources that have configs; v0 lists only client metrics (KIP-1142)."""

from __future__ import annotations

from protocol.apis import LIST_CONFIG_RESOURCES
from protocol.schema import body, int8, int16, int32, since, string, struct


@body(LIST_CONFIG_RESOURCES)
class ListConfigResourcesRequest:
    resource_types: list[int8] = since(1, factory=list)


@body(LIST_CONFIG_RESOURCES)
class ListConfigResourcesResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    config_resources: list[ConfigResource]


@struct
class ConfigResource:
    resource_name: string
    resource_type: int8 = since(1, default=16)
