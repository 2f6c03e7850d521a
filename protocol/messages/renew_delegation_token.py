"""RenewDelegationToken: moves the expiry time of a token (KIP-48).

v2 flexible.
"""

from __future__ import annotations

from protocol.apis import RENEW_DELEGATION_TOKEN
from protocol.schema import body, data, int16, int32, int64


@body(RENEW_DELEGATION_TOKEN)
class RenewDelegationTokenRequest:
    hmac: data
    renew_period_ms: int64


@body(RENEW_DELEGATION_TOKEN)
class RenewDelegationTokenResponse:
    error_code: int16 = 0
    expiry_timestamp_ms: int64
    throttle_time_ms: int32 = 0
