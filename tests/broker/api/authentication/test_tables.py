"""The APIs that a client may use before it has logged in."""

from __future__ import annotations

from broker.api.authentication.tables import HANDSHAKE_APIS, INITIAL_APIS, TOKEN_APIS
from broker.api.handlers.security.sasl_authenticate import sasl_authenticate
from broker.api.table import API_BY_KEY


def test_a_client_begins_with_versions_or_a_handshake() -> None:
    """The versions are sent once."""
    assert set(INITIAL_APIS) == {17, 18}
    assert set(HANDSHAKE_APIS) == {17}


def test_each_api_has_its_error_response_during_a_login() -> None:
    """Only tokens are processed."""
    assert set(TOKEN_APIS) == set(API_BY_KEY)
    handlers = {key: handler for key, (_, handler) in TOKEN_APIS.items()}
    assert handlers.pop(36) is sasl_authenticate
    assert {handler.__name__ for handler in handlers.values()} == {"illegal_sasl_state"}
