"""DescribeDelegationToken: the tokens of owners, with their HMACs (KIP-48).

Behaviour: a client sees the tokens of which it is the owner, the requester or a renewer, and others
with DESCRIBE on the token or DESCRIBE_TOKENS on its owner. Null means all owners, an empty list
none. Expired tokens are described until they are removed.
"""

from __future__ import annotations

from broker.api.authorization.check import DESCRIBE_TOKEN, DESCRIBE_TOKENS
from broker.api.authorization.checks import is_authorized
from broker.api.handlers.security.token_requests import allows_token_requests
from broker.api.request import Request
from broker.security.principal import Principal
from broker.security.tokens.delegation_token import DelegationToken
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.describe_delegation_token import (
    DescribedDelegationToken,
    DescribedDelegationTokenRenewer,
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)


def describe_delegation_token(
    request: Request[DescribeDelegationTokenRequest],
) -> Slices[DescribeDelegationTokenResponse]:
    """Describe each token that the client may see."""
    if not allows_token_requests(request):
        return _refused(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
    secret_key = request.services.config.delegation_token_secret_key
    if secret_key is None:
        return _refused(ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED)
    requested = request.body.owners
    owners = {Principal(each.principal_type, each.principal_name) for each in requested or ()}
    described = []
    for token in list(request.services.image.delegation_tokens.values()):
        if (requested is None or token.owner in owners) and _is_visible(request, token):
            described.append(_described(token, secret_key))
        yield None
    return DescribeDelegationTokenResponse(tokens=described)


def _is_visible(request: Request[DescribeDelegationTokenRequest], token: DelegationToken) -> bool:
    client = request.session.principal
    return (
        client == token.requester
        or token.may_be_renewed_by(client)
        or is_authorized(request, DESCRIBE_TOKEN, token.token_id, is_refusal_logged=False)
        or is_authorized(request, DESCRIBE_TOKENS, str(token.owner), is_refusal_logged=False)
    )


def _described(token: DelegationToken, secret_key: str) -> DescribedDelegationToken:
    return DescribedDelegationToken(
        principal_type=token.owner.type,
        principal_name=token.owner.name,
        token_requester_principal_type=token.requester.type,
        token_requester_principal_name=token.requester.name,
        issue_timestamp=token.issue_ms,
        expiry_timestamp=token.expiry_ms,
        max_timestamp=token.max_ms,
        token_id=token.token_id,
        hmac=token.hmac(secret_key),
        renewers=[
            DescribedDelegationTokenRenewer(
                principal_type=renewer.type, principal_name=renewer.name
            )
            for renewer in token.renewers
        ],
    )


def _refused(error: ErrorCode) -> DescribeDelegationTokenResponse:
    return DescribeDelegationTokenResponse(error_code=error, tokens=[])
