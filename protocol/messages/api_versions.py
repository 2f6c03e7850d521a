"""ApiVersions: the APIs and versions that a node supports.

v3 flexible, the client's name and version (KIP-511), features (KIP-584); v4 features with minimum
version 0.
"""

from __future__ import annotations

from protocol.apis import API_VERSIONS
from protocol.schema import body, boolean, int16, int32, int64, since, string, struct


@body(API_VERSIONS)
class ApiVersionsRequest:
    client_software_name: string = since(3, default="")
    client_software_version: string = since(3, default="")


@body(API_VERSIONS)
class ApiVersionsResponse:
    error_code: int16 = 0
    api_keys: list[ApiVersion]
    throttle_time_ms: int32 = since(1, default=0)
    supported_features: list[SupportedFeatureKey] = since(3, tag=0, factory=list)
    finalized_features_epoch: int64 = since(3, tag=1, default=-1)
    finalized_features: list[FinalizedFeatureKey] = since(3, tag=2, factory=list)
    zk_migration_ready: boolean = since(3, tag=3, default=False)


@struct
class ApiVersion:
    api_key: int16
    min_version: int16
    max_version: int16


@struct
class SupportedFeatureKey:
    name: string = since(3, default="")
    min_version: int16 = since(3, default=0)
    max_version: int16 = since(3, default=0)


@struct
class FinalizedFeatureKey:
    name: string = since(3, default="")
    max_version_level: int16 = since(3, default=0)
    min_version_level: int16 = since(3, default=0)
