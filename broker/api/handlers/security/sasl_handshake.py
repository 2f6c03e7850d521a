"""SaslHandshake: the client names the SASL mechanism of its login (KIP-43).

Behaviour: a mechanism that is not enabled gets UNSUPPORTED_SASL_MECHANISM with the enabled ones,
after the delay of failed logins, and the connection closes. A client that has logged in may begin
a re-authentication if its session has a lifetime (KIP-368), at most once a second; otherwise, and
if the listener has no SASL, it gets ILLEGAL_SASL_STATE and no mechanisms, and the connection stays
open.

Versions: 1 tokens are SaslAuthenticate requests (KIP-152).
"""

from __future__ import annotations

from broker.api.outcome import Outcome
from broker.api.request import Request
from protocol.errors import ErrorCode
from protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse


def sasl_handshake(request: Request[SaslHandshakeRequest]) -> SaslHandshakeResponse | Outcome:
    """Begin a login."""
    authenticator = request.sink.authenticator
    if authenticator is None:
        return SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE, mechanisms=[])
    return authenticator.handshake(request)
