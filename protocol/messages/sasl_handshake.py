"""SaslHandshake: the client chooses a SASL mechanism.

After v0 the tokens are frames without a header, after v1 they are in SaslAuthenticate (KIP-152).
"""

from __future__ import annotations

from protocol.schema import int16, message, string


@message(17, versions=(0, 1))
class SaslHandshakeRequest:
    mechanism: string


@message(17, versions=(0, 1))
class SaslHandshakeResponse:
    error_code: int16 = 0
    mechanisms: list[string]
