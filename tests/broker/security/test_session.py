"""What a security protocol means for a connection."""

from __future__ import annotations

import pytest

from broker.security.session import ANONYMOUS_SESSION, SecurityProtocol


@pytest.mark.parametrize(
    ("protocol", "has_tls", "has_sasl"),
    [
        ("PLAINTEXT", False, False),
        ("SSL", True, False),
        ("SASL_PLAINTEXT", False, True),
        ("SASL_SSL", True, True),
    ],
)
def test_a_protocol_determines_encryption_and_login(
    protocol: str, has_tls: bool, has_sasl: bool
) -> None:
    """TLS and SASL are independent of each other."""
    found = SecurityProtocol(protocol)
    assert (found.has_tls, found.has_sasl) == (has_tls, has_sasl)


def test_without_authentication_the_client_is_anonymous() -> None:
    """That is the session of each connection to a PLAINTEXT listener."""
    assert str(ANONYMOUS_SESSION.principal) == "User:ANONYMOUS"
