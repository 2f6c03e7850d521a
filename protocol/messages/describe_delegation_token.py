"""DescribeDelegationToken: the tokens of owners; null means all (KIP-48).

v2 flexible, v3 requesters of tokens (KIP-373).
"""

from __future__ import annotations

from protocol.apis import DESCRIBE_DELEGATION_TOKEN
from protocol.schema import body, data, int16, int32, int64, since, string, struct


@body(DESCRIBE_DELEGATION_TOKEN)
class DescribeDelegationTokenRequest:
    owners: list[DescribeDelegationTokenOwner] | None


@struct
class DescribeDelegationTokenOwner:
    principal_type: string
    principal_name: string


@body(DESCRIBE_DELEGATION_TOKEN)
class DescribeDelegationTokenResponse:
    error_code: int16 = 0
    tokens: list[DescribedDelegationToken]
    throttle_time_ms: int32 = 0


@struct
class DescribedDelegationToken:
    principal_type: string
    principal_name: string
    token_requester_principal_type: string = since(3, default="")
    token_requester_principal_name: string = since(3, default="")
    issue_timestamp: int64
    expiry_timestamp: int64
    max_timestamp: int64
    token_id: string
    hmac: data
    renewers: list[DescribedDelegationTokenRenewer]


@struct
class DescribedDelegationTokenRenewer:
    principal_type: string
    principal_name: string
