"""SaslHandshake: the client chooses a SASL mechanism.

After v0 the tokens are frames without a header, after v1 they are in SaslAuthenticate (KIP-152).
"""

from __future__ import annotations

from protocol.apis import SASL_HANDSHAKE
from protocol.schema import body, int16, string


@body(SASL_HANDSHAKE)
class SaslHandshakeRequest:
    mechanism: string


@body(SASL_HANDSHAKE)
class SaslHandshakeResponse:
    error_code: int16 = 0
    mechanisms: list[string]
