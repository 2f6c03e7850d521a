"""The APIs that a client may use before it has logged in, by the state of its login."""

from __future__ import annotations

from typing import Any, Final

from broker.api.apis import Apis, ServedApi
from broker.api.handlers.cluster.api_versions import api_versions
from broker.api.handlers.security.sasl_authenticate import sasl_authenticate
from broker.api.handlers.security.sasl_handshake import sasl_handshake
from broker.api.outcome import Outcome
from broker.api.request import Authenticator, Request
from protocol.apis import API_VERSIONS, APIS, SASL_AUTHENTICATE, SASL_HANDSHAKE
from protocol.errors import ErrorCode
from protocol.messages import REQUESTS
from protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest


def first_api_versions(request: Request[ApiVersionsRequest]) -> ApiVersionsResponse:
    """Return the versions; a client that has got them requests them again after its login only."""
    response = api_versions(request)
    if response.error_code == ErrorCode.NONE:
        _login(request).versions_sent()
    return response


def illegal_sasl_state(request: Request[Any]) -> Outcome:
    """Refuse a request in place of a token; the connection closes."""
    return _login(request).illegal_state(request)


def _login(request: Request[Any]) -> Authenticator:
    authenticator = request.sink.authenticator
    assert authenticator is not None, "only connections with a login use these tables"
    return authenticator


_HANDSHAKE: Final[dict[int, ServedApi]] = {
    SASL_HANDSHAKE.key: (SaslHandshakeRequest, sasl_handshake)
}
_INITIAL: Final[dict[int, ServedApi]] = {
    API_VERSIONS.key: (ApiVersionsRequest, first_api_versions),
    **_HANDSHAKE,
}


def _in_place_of_a_token(api_key: int) -> ServedApi:
    if api_key == SASL_AUTHENTICATE.key:
        return SaslAuthenticateRequest, sasl_authenticate
    return REQUESTS[api_key], illegal_sasl_state


INITIAL_APIS: Final = Apis(_INITIAL, _INITIAL.__getitem__)
HANDSHAKE_APIS: Final = Apis(_HANDSHAKE, _HANDSHAKE.__getitem__)
TOKEN_APIS: Final = Apis(APIS, _in_place_of_a_token)
