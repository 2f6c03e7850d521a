"""RenewDelegationToken: moves the expiry time of a token (KIP-48).

v2 flexible.
"""

from __future__ import annotations

from protocol.schema import data, int16, int32, int64, message


@message(39, versions=(1, 2), flexible=2)
class RenewDelegationTokenRequest:
    hmac: data
    renew_period_ms: int64


@message(39, versions=(1, 2), flexible=2)
class RenewDelegationTokenResponse:
    error_code: int16 = 0
    expiry_timestamp_ms: int64
    throttle_time_ms: int32 = 0
