"""CreateDelegationToken: issues a token for the client, or for another owner (KIP-48).

v2 flexible, v3 owners (KIP-373). Times are in ms since the epoch; -1 means none.
"""

from __future__ import annotations

from protocol.apis import CREATE_DELEGATION_TOKEN
from protocol.schema import body, data, int16, int32, int64, since, string, struct


@body(CREATE_DELEGATION_TOKEN)
class CreateDelegationTokenRequest:
    owner_principal_type: string | None = since(3, default=None)
    owner_principal_name: string | None = since(3, default=None)
    renewers: list[CreatableRenewers]
    max_lifetime_ms: int64


@struct
class CreatableRenewers:
    principal_type: string
    principal_name: string


@body(CREATE_DELEGATION_TOKEN)
class CreateDelegationTokenResponse:
    error_code: int16 = 0
    principal_type: string
    principal_name: string
    token_requester_principal_type: string = since(3, default="")
    token_requester_principal_name: string = since(3, default="")
    issue_timestamp_ms: int64
    expiry_timestamp_ms: int64
    max_timestamp_ms: int64
    token_id: string
    hmac: data
    throttle_time_ms: int32 = 0
