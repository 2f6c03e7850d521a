"""The credentials in a node's image."""

from __future__ import annotations

import hashlib
import hmac

from broker.config import Config, parse_config
from broker.security.credentials import StoredCredentials
from broker.security.principal import user
from broker.security.sasl.credentials import ScramCredential
from broker.security.tokens.delegation_token import DelegationToken

CREDENTIAL = ScramCredential(b"salt", b"stored", b"server", 4096)
TOKEN = DelegationToken("id", user("alice"), user("bob"), (), 1, 9, 5)


def test_a_credential_belongs_to_a_user_and_a_mechanism() -> None:
    """Changes of the image are visible at once."""
    scram: dict[tuple[str, str], ScramCredential] = {}
    credentials = StoredCredentials(Config(), scram, {})
    assert credentials.scram("SCRAM-SHA-256", "alice") is None

    scram["alice", "SCRAM-SHA-256"] = CREDENTIAL

    assert credentials.scram("SCRAM-SHA-256", "alice") == CREDENTIAL
    assert credentials.scram("SCRAM-SHA-512", "alice") is None


def test_a_token_has_an_owner_and_an_hmac() -> None:
    """The owner is not the client that requested it."""
    config = parse_config({"delegation.token.secret.key": "secret"})

    found = StoredCredentials(config, {}, {"id": TOKEN}).token("id")

    assert found is not None
    assert (found.owner, found.expires_ms) == (user("alice"), 5)
    assert found.hmac == hmac.new(b"secret", b"id", hashlib.sha512).digest()
    assert StoredCredentials(config, {}, {}).token("id") is None


def test_without_a_secret_key_there_are_no_tokens() -> None:
    """A stored token cannot be used until the key is set again."""
    assert StoredCredentials(Config(), {}, {"id": TOKEN}).token("id") is None
