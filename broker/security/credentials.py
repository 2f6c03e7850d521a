"""The credentials of the cluster, for logins (`broker.security.sasl.credentials`)."""

from __future__ import annotations

from collections.abc import Mapping

from broker.config import Config
from broker.security.sasl.credentials import ScramCredential, TokenCredential
from broker.security.tokens.delegation_token import DelegationToken


class StoredCredentials:
    """The credentials in a node's image; *scram* has them by user and mechanism, *tokens* by id.

    Without ``delegation.token.secret.key`` there are no tokens.
    """

    def __init__(
        self,
        config: Config,
        scram: Mapping[tuple[str, str], ScramCredential],
        tokens: Mapping[str, DelegationToken],
    ) -> None:
        self._secret_key = config.delegation_token_secret_key
        self._scram = scram
        self._tokens = tokens

    def scram(self, mechanism: str, user: str) -> ScramCredential | None:
        """The credential of *user* for a SCRAM mechanism."""
        return self._scram.get((user, mechanism))

    def token(self, token_id: str) -> TokenCredential | None:
        """The delegation token with that id."""
        token = self._tokens.get(token_id)
        if token is None or self._secret_key is None:
            return None
        return TokenCredential(token.owner, token.hmac(self._secret_key), token.expiry_ms)
