"""SCRAM credentials."""

from __future__ import annotations

import pytest
import scramp

from broker.security.principal import user
from broker.security.sasl.credentials import TokenCredential, derive


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_credential_has_the_keys_of_rfc_5802(mechanism: str) -> None:
    """As another implementation derives them."""
    salt, stored_key, server_key, iterations = scramp.ScramMechanism(mechanism).make_auth_info(
        "pencil", iteration_count=4096, salt=b"0123456789ab"
    )

    credential = derive(mechanism, "pencil", b"0123456789ab")

    assert credential == (salt, stored_key, server_key, iterations)


def test_the_text_of_a_credential_has_no_key() -> None:
    """It may be in a log."""
    assert repr(derive("SCRAM-SHA-256", "pencil", b"salt")) == "ScramCredential(iterations=4096)"
    assert repr(TokenCredential(user("a"), b"secret", 1.0)) == "TokenCredential(owner=User:a)"
