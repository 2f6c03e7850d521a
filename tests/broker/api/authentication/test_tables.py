"""The APIs that a client may use before it has logged in."""

from __future__ import annotations

from broker.api.authentication.tables import HANDSHAKE_APIS, INITIAL_APIS, TOKEN_APIS
from broker.api.handlers.security.sasl_authenticate import sasl_authenticate
from protocol.messages import REQUESTS


def test_a_client_begins_with_versions_or_a_handshake() -> None:
    """The versions are sent once."""
    assert INITIAL_APIS.api_keys == {17, 18}
    assert HANDSHAKE_APIS.api_keys == {17}


def test_each_api_has_its_error_response_during_a_login() -> None:
    """Only tokens are processed."""
    handlers = {}
    for key in REQUESTS:
        served = TOKEN_APIS.get(key)
        assert served is not None
        handlers[key] = served[1]
    assert handlers.pop(36) is sasl_authenticate
    assert {handler.__name__ for handler in handlers.values()} == {"illegal_sasl_state"}
