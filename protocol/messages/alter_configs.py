"""AlterConfigs: replaces all settings of a resource.

v2 flexible.
"""

from __future__ import annotations

from protocol.apis import ALTER_CONFIGS
from protocol.schema import body, boolean, int8, int16, int32, string, struct


@body(ALTER_CONFIGS)
class AlterConfigsRequest:
    resources: list[AlterConfigsResource]
    validate_only: boolean


@struct
class AlterConfigsResource:
    resource_type: int8
    resource_name: string
    configs: list[AlterableConfig]


@struct
class AlterableConfig:
    name: string
    value: string | None


@body(ALTER_CONFIGS)
class AlterConfigsResponse:
    throttle_time_ms: int32 = 0
    responses: list[AlterConfigsResourceResponse]


@struct
class AlterConfigsResourceResponse:
    error_code: int16 = 0
    error_message: string | None = None
    resource_type: int8
    resource_name: string
