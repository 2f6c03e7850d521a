"""DescribeConfigs: the settings of topics and brokers.

v1 synonyms, v3 types and documentation (KIP-569), v4 flexible.
"""

from __future__ import annotations

from protocol.apis import DESCRIBE_CONFIGS
from protocol.schema import body, boolean, int8, int16, int32, since, string, struct


@body(DESCRIBE_CONFIGS)
class DescribeConfigsRequest:
    resources: list[DescribeConfigsResource]
    include_synonyms: boolean = False
    include_documentation: boolean = since(3, default=False)


@struct
class DescribeConfigsResource:
    resource_type: int8
    resource_name: string
    configuration_keys: list[string] | None


@body(DESCRIBE_CONFIGS)
class DescribeConfigsResponse:
    throttle_time_ms: int32 = 0
    results: list[DescribeConfigsResult]


@struct
class DescribeConfigsResult:
    error_code: int16 = 0
    error_message: string | None = None
    resource_type: int8
    resource_name: string
    configs: list[DescribeConfigsResourceResult]


@struct
class DescribeConfigsResourceResult:
    name: string
    value: string | None
    read_only: boolean
    config_source: int8 = -1
    is_sensitive: boolean
    synonyms: list[DescribeConfigsSynonym]
    config_type: int8 = since(3, default=0)
    documentation: string | None = since(3, default="")


@struct
class DescribeConfigsSynonym:
    name: string
    value: string | None
    source: int8
