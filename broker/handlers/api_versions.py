"""ApiVersions: which requests this broker serves, in which versions.

Behaviour: computed from dispatch's table, so it cannot promise what is not there. A version the
broker does not know is answered in v0 form with UNSUPPORTED_VERSION and ApiVersions' own range
(KIP-511); dispatch sees to that. Names outside Kafka's pattern are INVALID_REQUEST (KIP-511).

Deviations: a feature has one level, see `broker.features`.
"""

from __future__ import annotations

import re

from broker.features import LEVELS
from broker.request import Request
from protocol.errors import ErrorCode
from protocol.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

_NAMES_SINCE = 3
_LEGAL = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def api_versions(request: Request[ApiVersionsRequest]) -> ApiVersionsResponse:
    """The ranges of every API served."""
    body = request.body
    if request.version >= _NAMES_SINCE and not (
        _LEGAL.fullmatch(body.client_software_name)
        and _LEGAL.fullmatch(body.client_software_version)
    ):
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST, api_keys=[])
    return ApiVersionsResponse(
        api_keys=request.node.api_versions,
        supported_features=[
            SupportedFeatureKey(name=name, min_version=level, max_version=level)
            for name, level in LEVELS.items()
        ],
        finalized_features_epoch=request.node.controller.log_end_offset,
        finalized_features=[
            FinalizedFeatureKey(name=name, max_version_level=level, min_version_level=level)
            for name, level in LEVELS.items()
        ],
    )


def unsupported_version(own: ApiVersion) -> ApiVersionsResponse:
    """The answer to a version that is not known: the range to try again with."""
    return ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=[own])
