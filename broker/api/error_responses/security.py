"""Error responses of requests about authentication, ACLs, credentials and tokens.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from typing import Final

from broker.api.error_responses.failure import ErrorResponses, Failure
from broker.security.principal import ANONYMOUS, Principal
from protocol.errors import ErrorCode
from protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from protocol.messages.create_acls import (
    AclCreationResult,
    CreateAclsRequest,
    CreateAclsResponse,
)
from protocol.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from protocol.messages.delete_acls import (
    DeleteAclsFilterResult,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from protocol.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from protocol.messages.describe_delegation_token import (
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)
from protocol.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)
from protocol.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse


def _sasl_handshake(_body: SaslHandshakeRequest, failure: Failure) -> SaslHandshakeResponse:
    return SaslHandshakeResponse(error_code=failure.code, mechanisms=[])


def _sasl_authenticate(
    _body: SaslAuthenticateRequest, failure: Failure
) -> SaslAuthenticateResponse:
    return SaslAuthenticateResponse(
        error_code=failure.code, error_message=failure.message, auth_bytes=b""
    )


def _describe_acls(_body: DescribeAclsRequest, failure: Failure) -> DescribeAclsResponse:
    return DescribeAclsResponse(
        error_code=failure.code, error_message=failure.message, resources=[]
    )


def _create_acls(body: CreateAclsRequest, failure: Failure) -> CreateAclsResponse:
    result = AclCreationResult(error_code=failure.code, error_message=failure.message)
    return CreateAclsResponse(results=[result] * len(body.creations))


def _delete_acls(body: DeleteAclsRequest, failure: Failure) -> DeleteAclsResponse:
    result = DeleteAclsFilterResult(
        error_code=failure.code, error_message=failure.message, matching_acls=[]
    )
    return DeleteAclsResponse(filter_results=[result] * len(body.filters))


def _describe_user_scram_credentials(
    body: DescribeUserScramCredentialsRequest, failure: Failure
) -> DescribeUserScramCredentialsResponse:
    """Each requested user has a result without name; Kafka sends no response for null."""
    result = DescribeUserScramCredentialsResult(
        user="", error_code=failure.code, error_message=failure.message, credential_infos=[]
    )
    return DescribeUserScramCredentialsResponse(
        error_code=failure.code,
        error_message=failure.message,
        results=[result] * len(body.users or ()),
    )


def _alter_user_scram_credentials(
    body: AlterUserScramCredentialsRequest, failure: Failure
) -> AlterUserScramCredentialsResponse:
    """Each user has one result, in the order of names."""
    users = {each.name for each in body.deletions} | {each.name for each in body.upsertions}
    return AlterUserScramCredentialsResponse(
        results=[
            AlterUserScramCredentialsResult(
                user=user, error_code=failure.code, error_message=failure.message
            )
            for user in sorted(users)
        ]
    )


def _create_delegation_token(
    _body: CreateDelegationTokenRequest, failure: Failure
) -> CreateDelegationTokenResponse:
    return no_token(failure.code, ANONYMOUS, ANONYMOUS)


def no_token(
    error: ErrorCode, owner: Principal, requester: Principal
) -> CreateDelegationTokenResponse:
    """The response if no token is issued for *owner*."""
    return CreateDelegationTokenResponse(
        error_code=error,
        principal_type=owner.type,
        principal_name=owner.name,
        token_requester_principal_type=requester.type,
        token_requester_principal_name=requester.name,
        issue_timestamp_ms=-1,
        expiry_timestamp_ms=-1,
        max_timestamp_ms=-1,
        token_id="",
        hmac=b"",
    )


def _renew_delegation_token(
    _body: RenewDelegationTokenRequest, failure: Failure
) -> RenewDelegationTokenResponse:
    return RenewDelegationTokenResponse(error_code=failure.code, expiry_timestamp_ms=0)


def _expire_delegation_token(
    _body: ExpireDelegationTokenRequest, failure: Failure
) -> ExpireDelegationTokenResponse:
    return ExpireDelegationTokenResponse(error_code=failure.code, expiry_timestamp_ms=0)


def _describe_delegation_token(
    _body: DescribeDelegationTokenRequest, failure: Failure
) -> DescribeDelegationTokenResponse:
    return DescribeDelegationTokenResponse(error_code=failure.code, tokens=[])


ERROR_RESPONSES: Final[ErrorResponses] = {
    SaslHandshakeRequest: _sasl_handshake,
    SaslAuthenticateRequest: _sasl_authenticate,
    DescribeAclsRequest: _describe_acls,
    CreateAclsRequest: _create_acls,
    DeleteAclsRequest: _delete_acls,
    DescribeUserScramCredentialsRequest: _describe_user_scram_credentials,
    AlterUserScramCredentialsRequest: _alter_user_scram_credentials,
    CreateDelegationTokenRequest: _create_delegation_token,
    RenewDelegationTokenRequest: _renew_delegation_token,
    ExpireDelegationTokenRequest: _expire_delegation_token,
    DescribeDelegationTokenRequest: _describe_delegation_token,
}
