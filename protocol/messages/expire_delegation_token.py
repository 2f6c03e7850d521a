"""ExpireDelegationToken: changes the expiry time of a token, or deletes it (KIP-48).

v2 flexible.
"""

from __future__ import annotations

from protocol.schema import data, int16, int32, int64, message


@message(40, versions=(1, 2), flexible=2)
class ExpireDelegationTokenRequest:
    hmac: data
    expiry_time_period_ms: int64


@message(40, versions=(1, 2), flexible=2)
class ExpireDelegationTokenResponse:
    error_code: int16 = 0
    expiry_timestamp_ms: int64
    throttle_time_ms: int32 = 0
