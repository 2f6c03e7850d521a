"""DescribeUserScramCredentials: mechanisms and iterations of users; null means all (KIP-554)."""

from __future__ import annotations

from protocol.apis import DESCRIBE_USER_SCRAM_CREDENTIALS
from protocol.schema import body, int8, int16, int32, string, struct


@body(DESCRIBE_USER_SCRAM_CREDENTIALS)
class DescribeUserScramCredentialsRequest:
    users: list[UserName] | None


@struct
class UserName:
    name: string


@body(DESCRIBE_USER_SCRAM_CREDENTIALS)
class DescribeUserScramCredentialsResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    results: list[DescribeUserScramCredentialsResult]


@struct
class DescribeUserScramCredentialsResult:
    user: string
    error_code: int16 = 0
    error_message: string | None = None
    credential_infos: list[CredentialInfo]


@struct
class CredentialInfo:
    mechanism: int8
    iterations: int32
