"""CreateDelegationToken: issues a token to the client, or to another owner (KIP-48, KIP-373).

Behaviour: a login with the token is possible on every node when the response is sent.
"""

from __future__ import annotations

from broker.api.authorization.check import CREATE_TOKENS
from broker.api.authorization.checks import require
from broker.api.error_responses.security import no_token
from broker.api.handlers.applied_changes import applied
from broker.api.handlers.security.token_requests import allows_token_requests
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.security.principal import Principal
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)


def create_delegation_token(
    request: Request[CreateDelegationTokenRequest],
) -> Slices[CreateDelegationTokenResponse]:
    """Issue the token."""
    services, body = request.services, request.body
    requester = request.session.principal
    owner = requester
    if body.owner_principal_name:
        if body.owner_principal_type is None:  # Kafka cannot construct the principal
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
        owner = Principal(body.owner_principal_type, body.owner_principal_name)
    renewers = [Principal(each.principal_type, each.principal_name) for each in body.renewers]
    tokens = services.controller.security.tokens
    try:
        if not allows_token_requests(request):
            raise ApiError(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
        if owner != requester:
            require(request, CREATE_TOKENS, str(owner))
        now_ms = services.clock.wall_ms()
        token = tokens.create(owner, requester, renewers, body.max_lifetime_ms, now_ms)
    except ApiError as error:
        return no_token(error.code, owner, requester)
    yield from applied(request)
    secret_key = services.config.delegation_token_secret_key
    assert secret_key is not None, "a token was issued"
    return CreateDelegationTokenResponse(
        principal_type=owner.type,
        principal_name=owner.name,
        token_requester_principal_type=requester.type,
        token_requester_principal_name=requester.name,
        issue_timestamp_ms=token.issue_ms,
        expiry_timestamp_ms=token.expiry_ms,
        max_timestamp_ms=token.max_ms,
        token_id=token.token_id,
        hmac=token.hmac(secret_key),
    )
