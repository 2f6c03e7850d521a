"""ApiVersions: which requests this broker serves, in which versions.

Behaviour: computed from dispatch's table, so it cannot promise what is not there. A version the
broker does not know is answered in v0 form with UNSUPPORTED_VERSION and ApiVersions' own range
(KIP-511); dispatch sees to that. Names outside Kafka's pattern are INVALID_REQUEST (KIP-511).

Deviations: no features are advertised; there is no metadata version to negotiate.
"""

from __future__ import annotations

import re

from broker.request import Request
from protocol.errors import ErrorCode
from protocol.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse

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
    return ApiVersionsResponse(api_keys=request.node.api_versions)


def unsupported_version(own: ApiVersion) -> ApiVersionsResponse:
    """The answer to a version that is not known: the range to try again with."""
    return ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=[own])
