"""Who may send requests about delegation tokens, and what changes of expiry times share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker.api.handlers.applied_changes import applied
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.security.principal import ANONYMOUS, Principal
from broker.security.session import SecurityProtocol
from broker.steps.queue import Slices
from protocol.errors import ErrorCode


def allows_token_requests(request: Request[Any]) -> bool:
    """Whether the client has authenticated, and not by a token itself.

    See ``KafkaApis.allowTokenRequests``.
    """
    session = request.session
    if session.is_token_authenticated or session.protocol is SecurityProtocol.PLAINTEXT:
        return False
    return session.protocol is not SecurityProtocol.SSL or session.principal != ANONYMOUS


def change_expiry(
    request: Request[Any], change: Callable[[Principal, int], int]
) -> Slices[tuple[ErrorCode, int]]:
    """Call *change* with the client's principal and the time; it returns the new expiry time.

    Returns the error and the expiry time of the response, which is sent when every node has applied
    the change. The time of an error is 0, or -1 if the client may not use tokens.
    """
    if not allows_token_requests(request):
        return ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, -1
    services = request.services
    try:
        expiry_ms = change(request.session.principal, services.clock.wall_ms())
    except ApiError as error:
        return error.code, 0
    yield from applied(request)
    return ErrorCode.NONE, expiry_ms
