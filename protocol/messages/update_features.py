"""UpdateFeatures: changes the cluster's finalized feature levels (KIP-584).

v1 validate-only and kinds of upgrade (KIP-778), v2 no results of single features.
"""

from __future__ import annotations

from protocol.apis import UPDATE_FEATURES
from protocol.schema import body, boolean, int8, int16, int32, since, string, struct


@body(UPDATE_FEATURES)
class UpdateFeaturesRequest:
    timeout_ms: int32 = 60000
    feature_updates: list[FeatureUpdateKey]
    validate_only: boolean = since(1, default=False)


@struct
class FeatureUpdateKey:
    feature: string
    max_version_level: int16
    allow_downgrade: boolean = since(0, until=0, default=False)
    upgrade_type: int8 = since(1, default=1)


@body(UPDATE_FEATURES)
class UpdateFeaturesResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    results: list[UpdatableFeatureResult] = since(0, until=1, factory=list)


@struct
class UpdatableFeatureResult:
    feature: string = since(0, until=1, default="")
    error_code: int16 = since(0, until=1, default=0)
    error_message: string | None = since(0, until=1, default=None)
