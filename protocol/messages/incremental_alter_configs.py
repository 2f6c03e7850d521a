"""IncrementalAlterConfigs: sets, unsets and extends settings (KIP-339).

v1 flexible.
"""

from __future__ import annotations

from protocol.apis import INCREMENTAL_ALTER_CONFIGS
from protocol.schema import body, boolean, int8, int16, int32, string, struct


@body(INCREMENTAL_ALTER_CONFIGS)
class IncrementalAlterConfigsRequest:
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
    config_operation: int8
    value: string | None


@body(INCREMENTAL_ALTER_CONFIGS)
class IncrementalAlterConfigsResponse:
    throttle_time_ms: int32 = 0
    responses: list[AlterConfigsResourceResponse]


@struct
class AlterConfigsResourceResponse:
    error_code: int16 = 0
    error_message: string | None = None
    resource_type: int8
    resource_name: string
