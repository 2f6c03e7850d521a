"""ExpireDelegationToken and RenewDelegationToken, as a Kafka 4.3.1 responds to both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)
from protocol.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)
from tests.broker.api.handlers.security.token_client import client_of, issued, token_node
from tests.client import EPOCH_MS, running_node

pytestmark = pytest.mark.anyio

MINUTE_MS = 60_000

Change = Callable[[bytes], ExpireDelegationTokenRequest | RenewDelegationTokenRequest]
Response = type[ExpireDelegationTokenResponse] | type[RenewDelegationTokenResponse]


def expire(token_hmac: bytes) -> ExpireDelegationTokenRequest:
    """The token expires in a minute."""
    return ExpireDelegationTokenRequest(hmac=bytes(token_hmac), expiry_time_period_ms=MINUTE_MS)


def renew(token_hmac: bytes) -> RenewDelegationTokenRequest:
    """The token is renewed for a minute."""
    return RenewDelegationTokenRequest(hmac=bytes(token_hmac), renew_period_ms=MINUTE_MS)


both = pytest.mark.parametrize(
    ("change", "response"),
    [(expire, ExpireDelegationTokenResponse), (renew, RenewDelegationTokenResponse)],
    ids=["expire", "renew"],
)


@pytest.mark.parametrize("change", [expire, renew])
@pytest.mark.parametrize("version", [1, 2])
async def test_the_expiry_time_changes_on_every_node(
    tmp_path: Path, change: Change, version: int
) -> None:
    """A renewer may do it."""
    async with token_node(tmp_path) as node:
        token = await issued(node, "alice", "bob")

        changed = await client_of(node, "bob").send(change(token.hmac), version)

        assert changed.error_code == ErrorCode.NONE
        assert 0 <= changed.expiry_timestamp_ms - EPOCH_MS - MINUTE_MS < 1000
        stored = node.node.image.delegation_tokens[token.token_id]
        assert stored.expiry_ms == changed.expiry_timestamp_ms


@both
async def test_another_client_is_refused(
    tmp_path: Path, change: Change, response: Response
) -> None:
    """Also a super user; an unknown token has another error."""
    async with token_node(tmp_path) as node:
        token = await issued(node, "alice", "bob")
        client = client_of(node, "root")

        mismatch = await client.send(change(token.hmac))
        unknown = await client.send(change(b"x"))

        assert mismatch == response(
            error_code=ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH, expiry_timestamp_ms=0
        )
        assert unknown == response(
            error_code=ErrorCode.DELEGATION_TOKEN_NOT_FOUND, expiry_timestamp_ms=0
        )


@both
async def test_an_unauthenticated_client_is_refused(
    tmp_path: Path, change: Change, response: Response
) -> None:
    """The timestamp is -1, and not 0 as in the other errors."""
    async with running_node(tmp_path) as node:
        refused = await node.client().send(change(b"x"))
        disabled = await client_of(node, "alice").send(change(b"x"))

        assert refused == response(
            error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, expiry_timestamp_ms=-1
        )
        assert disabled == response(
            error_code=ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED, expiry_timestamp_ms=0
        )
