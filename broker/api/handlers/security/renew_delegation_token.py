"""RenewDelegationToken: moves the expiry time of a token (KIP-48).

Behaviour: ACLs have no effect: the client must be the owner or a renewer of the token.
"""

from __future__ import annotations

from broker.api.handlers.security.token_requests import change_expiry
from broker.api.request import Request
from broker.security.principal import Principal
from broker.steps.queue import Slices
from protocol.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)


def renew_delegation_token(
    request: Request[RenewDelegationTokenRequest],
) -> Slices[RenewDelegationTokenResponse]:
    """Move the expiry time."""
    body, tokens = request.body, request.services.controller.security.tokens

    def renew(client: Principal, now_ms: int) -> int:
        return tokens.renew(bytes(body.hmac), body.renew_period_ms, client, now_ms)

    error, expiry_ms = yield from change_expiry(request, renew)
    return RenewDelegationTokenResponse(error_code=error, expiry_timestamp_ms=expiry_ms)
