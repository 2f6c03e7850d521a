"""ApiVersions: the APIs that this broker serves, and their versions.

Behaviour: the response is computed from `broker.api.table`. The response to an unknown version is
one of version 0 with UNSUPPORTED_VERSION and the range of ApiVersions itself (KIP-511), which the
dispatcher sends. Software names that do not match Kafka's pattern are INVALID_REQUEST (KIP-511).

Versions: 3 features except those that may have level 0 (KIP-584), 4 these as well (KAFKA-17011).
"""

from __future__ import annotations

from broker.api.request import Request
from broker.controller.metadata.features import FEATURES
from protocol.errors import ErrorCode
from protocol.lazy_pattern import LazyPattern
from protocol.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

_NAMES_SINCE = 3
_LEVEL_ZERO_SINCE = 4
_LEGAL = LazyPattern(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def api_versions(request: Request[ApiVersionsRequest]) -> ApiVersionsResponse:
    """Return the range of versions of every API."""
    body = request.body
    if request.version >= _NAMES_SINCE and not (
        _LEGAL.compiled.fullmatch(body.client_software_name)
        and _LEGAL.compiled.fullmatch(body.client_software_version)
    ):
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST, api_keys=[])
    if request.version >= _NAMES_SINCE:
        names = body.client_software_name, body.client_software_version
        request.sink.client.software = names
    levels = {name: request.services.image.feature_level(name) for name in FEATURES}
    return ApiVersionsResponse(
        api_keys=request.services.api_versions,
        supported_features=[
            SupportedFeatureKey(name=name, min_version=feature.lowest, max_version=feature.highest)
            for name, feature in FEATURES.items()
            if feature.lowest > 0 or request.version >= _LEVEL_ZERO_SINCE
        ],
        finalized_features_epoch=request.services.controller.log_end_offset,
        finalized_features=[
            FinalizedFeatureKey(name=name, max_version_level=level, min_version_level=level)
            for name, level in levels.items()
            if level > 0
        ],
    )


def unsupported_version(own: ApiVersion) -> ApiVersionsResponse:
    """The response to an unknown version: *own*, the range of versions of ApiVersions."""
    return ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=[own])
