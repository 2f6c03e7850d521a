"""AlterUserScramCredentials: sets and removes SCRAM credentials of users (KIP-554).

The mechanism 1 is SCRAM-SHA-256, and 2 is SCRAM-SHA-512.
"""

from __future__ import annotations

from protocol.schema import data, int8, int16, int32, message, string, struct


@message(51, versions=(0, 0), flexible=0)
class AlterUserScramCredentialsRequest:
    deletions: list[ScramCredentialDeletion]
    upsertions: list[ScramCredentialUpsertion]


@struct
class ScramCredentialDeletion:
    name: string
    mechanism: int8


@struct
class ScramCredentialUpsertion:
    name: string
    mechanism: int8
    iterations: int32
    salt: data
    salted_password: data


@message(51, versions=(0, 0), flexible=0)
class AlterUserScramCredentialsResponse:
    throttle_time_ms: int32 = 0
    results: list[AlterUserScramCredentialsResult]


@struct
class AlterUserScramCredentialsResult:
    user: string
    error_code: int16 = 0
    error_message: string | None = None
