"""Credentials in dictionaries."""

from __future__ import annotations

from broker.security.sasl.credentials import ScramCredential, TokenCredential, derive


class FakeStore:
    """A `broker.security.sasl.credentials.CredentialStore`."""

    def __init__(self) -> None:
        self.scrams: dict[tuple[str, str], ScramCredential] = {}
        self.tokens: dict[str, TokenCredential] = {}

    def add(
        self, mechanism: str, name: str, password: str, *, iterations: int = 4096
    ) -> ScramCredential:
        """Store the credential of a password."""
        credential = derive(mechanism, password, b"0123456789abcdef", iterations)
        self.scrams[mechanism, name] = credential
        return credential

    def scram(self, mechanism: str, user: str) -> ScramCredential | None:
        """See `CredentialStore.scram`."""
        return self.scrams.get((mechanism, user))

    def token(self, token_id: str) -> TokenCredential | None:
        """See `CredentialStore.token`."""
        return self.tokens.get(token_id)
