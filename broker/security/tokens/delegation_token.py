"""A delegation token as it is stored, and its HMAC, which is the password of a login with it."""

from __future__ import annotations

import hmac
from typing import NamedTuple

from broker.security.principal import Principal


class DelegationToken(NamedTuple):
    """``TokenInformation``; times are in milliseconds since the Unix epoch.

    ``owner`` is the principal of a login with the token. A token expires at ``expiry_ms``, which
    can be moved up to ``max_ms``.
    """

    token_id: str
    owner: Principal
    requester: Principal
    renewers: tuple[Principal, ...]
    issue_ms: int
    max_ms: int
    expiry_ms: int

    def may_be_renewed_by(self, principal: Principal) -> bool:
        """Whether the principal is the owner or a renewer."""
        return principal == self.owner or principal in self.renewers

    def is_expired(self, now_ms: int) -> bool:
        """Whether the token has expired."""
        return self.expiry_ms < now_ms

    def hmac(self, secret_key: str) -> bytes:
        """The HMAC with ``delegation.token.secret.key``; it is not stored."""
        return hmac.digest(secret_key.encode(), self.token_id.encode(), "sha512")
