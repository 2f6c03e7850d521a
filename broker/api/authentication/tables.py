"""The APIs that a client may use before it has logged in, by the state of its login."""

from __future__ import annotations

from typing import Any

from broker.api.handlers.cluster.api_versions import api_versions
from broker.api.handlers.security.sasl_authenticate import sasl_authenticate
from broker.api.handlers.security.sasl_handshake import sasl_handshake
from broker.api.outcome import Outcome
from broker.api.request import Authenticator, Request
from broker.api.table import API_BY_KEY, Apis
from protocol.errors import ErrorCode
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


def _keyed(*entries: tuple[Any, Any]) -> Apis:
    return {cls.__spec__.key: (cls, handler) for cls, handler in entries}


_HANDSHAKE = (SaslHandshakeRequest, sasl_handshake)

INITIAL_APIS: Apis = _keyed((ApiVersionsRequest, first_api_versions), _HANDSHAKE)
HANDSHAKE_APIS: Apis = _keyed(_HANDSHAKE)
TOKEN_APIS: Apis = {
    **{key: (cls, illegal_sasl_state) for key, (cls, _) in API_BY_KEY.items()},
    **_keyed((SaslAuthenticateRequest, sasl_authenticate)),
}
