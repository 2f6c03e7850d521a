"""SaslAuthenticate: one token of a login (KIP-152).

Behaviour: a failed login gets SASL_AUTHENTICATION_FAILED after the delay of failed logins, and the
connection closes. Without a login in progress the error is ILLEGAL_SASL_STATE, and the connection
stays open. The message of an error does not say which users exist.

Versions: 1 the lifetime of the session (KIP-368).

Deviations: a SCRAM proof of the wrong length and a bearer token that is malformed get an error;
Kafka closes the connection.
"""

from __future__ import annotations

from broker.api.outcome import Outcome
from broker.api.request import Request
from protocol.errors import ErrorCode
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse

# Clients show it to their users.
_NOT_EXPECTED = "SaslAuthenticate request received after successful authentication"


def sasl_authenticate(
    request: Request[SaslAuthenticateRequest],
) -> SaslAuthenticateResponse | Outcome:
    """Process a token, if a login is in progress."""
    authenticator = request.sink.authenticator
    if authenticator is None or not authenticator.expects_token:
        return SaslAuthenticateResponse(
            error_code=ErrorCode.ILLEGAL_SASL_STATE,
            error_message=_NOT_EXPECTED,
            auth_bytes=b"",
        )
    return authenticator.authenticate(request)
