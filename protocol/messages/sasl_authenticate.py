"""SaslAuthenticate: one token of a SASL mechanism, and the server's token (KIP-152).

v1 session lifetime (KIP-368), v2 flexible.
"""

from __future__ import annotations

from protocol.apis import SASL_AUTHENTICATE
from protocol.schema import body, data, int16, int64, since, string


@body(SASL_AUTHENTICATE)
class SaslAuthenticateRequest:
    auth_bytes: data


@body(SASL_AUTHENTICATE)
class SaslAuthenticateResponse:
    error_code: int16 = 0
    error_message: string | None = None
    auth_bytes: data
    session_lifetime_ms: int64 = since(1, default=0)
