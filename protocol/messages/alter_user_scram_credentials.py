"""AlterUserScramCredentials: sets and removes SCRAM credentials of users (KIP-554).

The mechanism 1 is SCRAM-SHA-256, and 2 is SCRAM-SHA-512.
"""

from __future__ import annotations

from protocol.apis import ALTER_USER_SCRAM_CREDENTIALS
from protocol.schema import body, data, int8, int16, int32, string, struct


@body(ALTER_USER_SCRAM_CREDENTIALS)
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


@body(ALTER_USER_SCRAM_CREDENTIALS)
class AlterUserScramCredentialsResponse:
    throttle_time_ms: int32 = 0
    results: list[AlterUserScramCredentialsResult]


@struct
class AlterUserScramCredentialsResult:
    user: string
    error_code: int16 = 0
    error_message: string | None = None
