"""Error responses of requests about authentication, ACLs and credentials."""

from __future__ import annotations

from typing import Any

from broker.api.error_responses.table import error_response
from protocol.errors import ErrorCode
from protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse


def test_a_handshake_has_the_code_and_no_mechanisms() -> None:
    """Whatever the message."""
    body = SaslHandshakeRequest(mechanism="PLAIN")

    response = error_response(body, 1, ErrorCode.ILLEGAL_SASL_STATE, "why")

    assert response == SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE, mechanisms=[])


def test_a_token_has_the_code_and_the_message() -> None:
    """Its response has no bytes."""
    body = SaslAuthenticateRequest(auth_bytes=b"")

    response = error_response(body, 2, ErrorCode.ILLEGAL_SASL_STATE, "why")

    assert response == SaslAuthenticateResponse(
        error_code=ErrorCode.ILLEGAL_SASL_STATE, error_message="why", auth_bytes=b""
    )


def test_each_user_of_an_alteration_has_one_result() -> None:
    """In the order of names."""
    body = AlterUserScramCredentialsRequest(
        deletions=[ScramCredentialDeletion(name=name, mechanism=1) for name in "cab"],
        upsertions=[
            ScramCredentialUpsertion(
                name="a", mechanism=1, iterations=1, salt=b"", salted_password=b""
            )
        ],
    )

    response: Any = error_response(body, 0, ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "why")

    assert [(each.user, each.error_code, each.error_message) for each in response.results] == [
        (user, ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "why") for user in "abc"
    ]
