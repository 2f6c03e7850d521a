"""ExpireDelegationToken: changes the expiry time of a token, or deletes it (KIP-48).

v2 flexible.
"""

from __future__ import annotations

from protocol.apis import EXPIRE_DELEGATION_TOKEN
from protocol.schema import body, data, int16, int32, int64


@body(EXPIRE_DELEGATION_TOKEN)
class ExpireDelegationTokenRequest:
    hmac: data
    expiry_time_period_ms: int64


@body(EXPIRE_DELEGATION_TOKEN)
class ExpireDelegationTokenResponse:
    error_code: int16 = 0
    expiry_timestamp_ms: int64
    throttle_time_ms: int32 = 0
