"""ExpireDelegationToken: sets the expiry time of a token, or removes it (KIP-48).

Behaviour: a negative period removes the token. The client must be its owner or one of its renewers.
"""

from __future__ import annotations

from broker.api.handlers.security.token_requests import change_expiry
from broker.api.request import Request
from broker.security.principal import Principal
from broker.steps.queue import Slices
from protocol.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)


def expire_delegation_token(
    request: Request[ExpireDelegationTokenRequest],
) -> Slices[ExpireDelegationTokenResponse]:
    """Set the expiry time."""
    body, tokens = request.body, request.services.controller.security.tokens

    def expire(client: Principal, now_ms: int) -> int:
        return tokens.expire(bytes(body.hmac), body.expiry_time_period_ms, client, now_ms)

    error, expiry_ms = yield from change_expiry(request, expire)
    return ExpireDelegationTokenResponse(error_code=error, expiry_timestamp_ms=expiry_ms)
