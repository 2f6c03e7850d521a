"""Issues, renews and removes delegation tokens (Kafka's ``DelegationTokenControlManager``)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from broker.common.errors import ApiError
from broker.common.uuid_text import uuid_text
from broker.controller.cluster_state import ClusterState
from broker.controller.database.security_changes import DelegationTokensChanged
from broker.security.principal import USER_TYPE, Principal
from broker.security.tokens.delegation_token import DelegationToken
from protocol.errors import ErrorCode


class DelegationTokenControl:
    """Changes the delegation tokens of the cluster; times are in ms since the Unix epoch.

    Each method raises `ApiError` DELEGATION_TOKEN_AUTH_DISABLED without
    ``delegation.token.secret.key``.
    """

    def __init__(self, state: ClusterState) -> None:
        self._state = state
        self._config = state.config
        # The ids of the tokens by HMAC, with which clients name them (Kafka's ``TokenCache``).
        self._ids: dict[bytes, str] = {}
        for token in state.image.delegation_tokens.values():
            self._index(token)

    def create(
        self,
        owner: Principal,
        requester: Principal,
        renewers: Sequence[Principal],
        max_lifetime_ms: int,
        now_ms: int,
    ) -> DelegationToken:
        """Issue a token; a ``max_lifetime_ms`` that is not positive means the longest one.

        Raises `ApiError` INVALID_PRINCIPAL_TYPE unless all renewers are users.
        """
        if any(renewer.type != USER_TYPE for renewer in renewers):
            raise ApiError(ErrorCode.INVALID_PRINCIPAL_TYPE)
        self._secret_key()
        lifetime_ms = self._config.delegation_token_max_lifetime_ms
        if max_lifetime_ms > 0:
            lifetime_ms = min(lifetime_ms, max_lifetime_ms)
        max_ms = now_ms + lifetime_ms
        token = DelegationToken(
            uuid_text(uuid.uuid4()),
            owner,
            requester,
            tuple(renewers),
            now_ms,
            max_ms,
            min(max_ms, now_ms + self._config.delegation_token_expiry_time_ms),
        )
        self._put(token)
        return token

    def renew(self, token_hmac: bytes, period_ms: int, client: Principal, now_ms: int) -> int:
        """Move the expiry time, and return it; without a positive period by the longest one.

        Raises `ApiError` DELEGATION_TOKEN_NOT_FOUND, DELEGATION_TOKEN_EXPIRED, or
        DELEGATION_TOKEN_OWNER_MISMATCH if the client is neither the owner nor a renewer.
        """
        token = self._token(token_hmac)
        _check_not_expired(token, now_ms)
        _check_client(token, client)
        longest_ms = self._config.delegation_token_expiry_time_ms
        return self._expire_at(
            token, now_ms + (min(period_ms, longest_ms) if period_ms > 0 else longest_ms)
        )

    def expire(self, token_hmac: bytes, period_ms: int, client: Principal, now_ms: int) -> int:
        """Set the expiry time, and return it; a negative period removes the token.

        Raises `ApiError` as `renew`; an expired token can be removed.
        """
        token = self._token(token_hmac)
        _check_client(token, client)
        if period_ms < 0:
            self._remove([token])
            return now_ms
        _check_not_expired(token, now_ms)
        return self._expire_at(token, now_ms + period_ms)

    def remove_expired(self, now_ms: int) -> None:
        """Remove the tokens that have expired."""
        tokens = self._state.image.delegation_tokens.values()
        self._remove([token for token in tokens if token.is_expired(now_ms)])

    def remove_all(self) -> int:
        """Remove all tokens; returns how many."""
        tokens = list(self._state.image.delegation_tokens.values())
        self._remove(tokens)
        return len(tokens)

    def _remove(self, tokens: Sequence[DelegationToken]) -> None:
        if not tokens:
            return
        removed = {token.token_id: None for token in tokens}
        self._state.put_security(DelegationTokensChanged(removed))
        secret_key = self._config.delegation_token_secret_key
        if secret_key is not None:
            for token in tokens:
                del self._ids[token.hmac(secret_key)]

    def _expire_at(self, token: DelegationToken, expiry_ms: int) -> int:
        changed = token._replace(expiry_ms=min(token.max_ms, expiry_ms))
        self._put(changed)
        return changed.expiry_ms

    def _put(self, token: DelegationToken) -> None:
        self._state.put_security(DelegationTokensChanged({token.token_id: token}))
        self._index(token)

    def _index(self, token: DelegationToken) -> None:
        secret_key = self._config.delegation_token_secret_key
        if secret_key is not None:
            self._ids[token.hmac(secret_key)] = token.token_id

    def _token(self, token_hmac: bytes) -> DelegationToken:
        self._secret_key()
        token_id = self._ids.get(token_hmac)
        if token_id is None:
            raise ApiError(ErrorCode.DELEGATION_TOKEN_NOT_FOUND)
        return self._state.image.delegation_tokens[token_id]

    def _secret_key(self) -> str:
        secret_key = self._config.delegation_token_secret_key
        if secret_key is None:
            raise ApiError(ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED)
        return secret_key


def _check_client(token: DelegationToken, client: Principal) -> None:
    if not token.may_be_renewed_by(client):
        raise ApiError(ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH)


def _check_not_expired(token: DelegationToken, now_ms: int) -> None:
    if token.is_expired(now_ms):
        raise ApiError(ErrorCode.DELEGATION_TOKEN_EXPIRED)
