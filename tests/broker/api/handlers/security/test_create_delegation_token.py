"""CreateDelegationToken, as a Kafka 4.3.1 responds."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.security.principal import user
from protocol.errors import ErrorCode
from protocol.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenResponse,
)
from tests.broker.api.handlers.security.token_client import client_of, creation, token_node
from tests.client import EPOCH_MS, running_node

pytestmark = pytest.mark.anyio

DAY_MS = 86_400_000


def refused(
    code: ErrorCode, owner: str = "alice", requester: str = "alice"
) -> CreateDelegationTokenResponse:
    """A response without a token."""
    return CreateDelegationTokenResponse(
        error_code=code,
        principal_type="User",
        principal_name=owner,
        token_requester_principal_type="User",
        token_requester_principal_name=requester,
        issue_timestamp_ms=-1,
        expiry_timestamp_ms=-1,
        max_timestamp_ms=-1,
        token_id="",
        hmac=b"",
    )


@pytest.mark.parametrize("version", [1, 2, 3])
async def test_a_token_can_be_used_by_logins_at_once(tmp_path: Path, version: int) -> None:
    """Its password is the HMAC of the response."""
    async with token_node(tmp_path) as node:
        response = await client_of(node, "alice").send(creation(), version)

        assert response.error_code == ErrorCode.NONE
        assert response.principal_name == "alice"
        assert 0 <= response.issue_timestamp_ms - EPOCH_MS < 1000
        assert response.expiry_timestamp_ms == response.issue_timestamp_ms + DAY_MS
        assert response.max_timestamp_ms == response.issue_timestamp_ms + 7 * DAY_MS
        credential = node.node.services.credentials.token(response.token_id)
        assert credential is not None
        assert (credential.owner, credential.hmac) == (user("alice"), bytes(response.hmac))


async def test_a_token_of_another_owner_needs_authorization(tmp_path: Path) -> None:
    """CREATE_TOKENS on the user; the requester may be a super user."""
    async with token_node(tmp_path) as node:
        response = await client_of(node, "alice").send(creation("carol"))
        allowed = await client_of(node, "root").send(creation("carol"))
        own = await client_of(node, "alice").send(creation("alice"))

        code = ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED
        assert _comparable(response) == refused(code, owner="carol")
        assert (allowed.principal_name, allowed.token_requester_principal_name) == (
            "carol",
            "root",
        )
        assert own.error_code == ErrorCode.NONE


async def test_renewers_must_be_users(tmp_path: Path) -> None:
    """Other types are refused."""
    async with token_node(tmp_path) as node:
        body = creation()
        body.renewers = [CreatableRenewers(principal_type="Group", principal_name="x")]

        response = await client_of(node, "alice").send(body)

        assert _comparable(response) == refused(ErrorCode.INVALID_PRINCIPAL_TYPE)


async def test_an_owner_without_a_type_fails_the_request(tmp_path: Path) -> None:
    """Kafka cannot construct the principal."""
    async with token_node(tmp_path) as node:
        body = creation("carol")
        body.owner_principal_type = None

        response = await client_of(node, "alice").send(body)

        expected = refused(ErrorCode.UNKNOWN_SERVER_ERROR, "ANONYMOUS", "ANONYMOUS")
        assert _comparable(response) == expected


async def test_an_unauthenticated_client_is_refused(tmp_path: Path) -> None:
    """Before anything else is checked."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(creation())

        code = ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
        assert _comparable(response) == refused(code, "ANONYMOUS", "ANONYMOUS")


async def test_tokens_are_disabled_without_a_secret_key(tmp_path: Path) -> None:
    """An authenticated client gets another error."""
    async with running_node(tmp_path) as node:
        response = await client_of(node, "alice").send(creation())

        assert _comparable(response) == refused(ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED)


def _comparable(response: CreateDelegationTokenResponse) -> CreateDelegationTokenResponse:
    response.hmac = bytes(response.hmac)
    return response
