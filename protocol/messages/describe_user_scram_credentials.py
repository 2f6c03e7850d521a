"""DescribeUserScramCredentials: mechanisms and iterations of users; null means all (KIP-554)."""

from __future__ import annotations

from protocol.schema import int8, int16, int32, message, string, struct


@message(50, versions=(0, 0), flexible=0)
class DescribeUserScramCredentialsRequest:
    users: list[UserName] | None


@struct
class UserName:
    name: string


@message(50, versions=(0, 0), flexible=0)
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
