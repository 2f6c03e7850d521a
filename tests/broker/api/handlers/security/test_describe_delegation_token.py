"""DescribeDelegationToken, as a Kafka 4.3.1 responds."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from broker.security.acl.binding import AclBinding
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from protocol.errors import ErrorCode
from protocol.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from tests.broker.api.handlers.security.token_client import client_of, creation, issued, token_node
from tests.client import RunningNode, running_node

pytestmark = pytest.mark.anyio

ALL = DescribeDelegationTokenRequest(owners=None)


def of_owners(*names: str) -> DescribeDelegationTokenRequest:
    """A request for the tokens of these users."""
    return DescribeDelegationTokenRequest(
        owners=[
            DescribeDelegationTokenOwner(principal_type="User", principal_name=name)
            for name in names
        ]
    )


async def seen_by(
    node: RunningNode, name: str, body: DescribeDelegationTokenRequest = ALL
) -> list[Any]:
    """The tokens that a user gets."""
    response = await client_of(node, name).send(body)
    assert response.error_code == ErrorCode.NONE
    return list(response.tokens)


@pytest.mark.parametrize("version", [1, 2, 3])
async def test_a_token_is_described_with_its_hmac(tmp_path: Path, version: int) -> None:
    """So a client that sees a token can log in with it."""
    async with token_node(tmp_path) as node:
        issue = await issued(node, "alice", "bob")

        response = await client_of(node, "alice").send(ALL, version)

        [token] = response.tokens
        assert (token.token_id, bytes(token.hmac)) == (issue.token_id, bytes(issue.hmac))
        assert (token.issue_timestamp, token.expiry_timestamp, token.max_timestamp) == (
            issue.issue_timestamp_ms,
            issue.expiry_timestamp_ms,
            issue.max_timestamp_ms,
        )
        assert [each.principal_name for each in token.renewers] == ["bob"]
        assert token.token_requester_principal_name == ("alice" if version == 3 else "")


async def test_a_client_sees_the_tokens_that_concern_it(tmp_path: Path) -> None:
    """As owner, renewer or requester; a super user sees all."""
    async with token_node(tmp_path) as node:
        await issued(node, "alice", "bob")
        await client_of(node, "root").send(creation("carol"))

        seen = {name: len(await seen_by(node, name)) for name in ("alice", "bob", "carol", "dave")}

        assert seen == {"alice": 1, "bob": 1, "carol": 1, "dave": 0}
        assert len(await seen_by(node, "root")) == 2


async def test_owners_restrict_the_response(tmp_path: Path) -> None:
    """An empty list has none, and a name twice counts once."""
    async with token_node(tmp_path) as node:
        await issued(node, "alice")
        await issued(node, "carol")

        assert not await seen_by(node, "root", of_owners())
        [token] = await seen_by(node, "root", of_owners("alice", "alice"))
        assert token.principal_name == "alice"
        assert not await seen_by(node, "alice", of_owners("carol"))


@pytest.mark.parametrize("by_owner", [True, False])
async def test_an_acl_shows_a_token(tmp_path: Path, by_owner: bool) -> None:
    """DESCRIBE_TOKENS on the owner, or DESCRIBE on the token."""
    async with token_node(tmp_path) as node:
        token = await issued(node, "alice")
        acl = AclBinding(
            ResourceType.USER if by_owner else ResourceType.DELEGATION_TOKEN,
            PatternType.LITERAL,
            "User:alice" if by_owner else token.token_id,
            "User:dave",
            "*",
            Operation.DESCRIBE_TOKENS if by_owner else Operation.DESCRIBE,
            Permission.ALLOW,
        )
        node.node.image.acls.add({uuid.uuid4(): acl})

        assert len(await seen_by(node, "dave")) == 1


async def test_a_client_that_may_not_use_tokens_is_refused(tmp_path: Path) -> None:
    """And every client, if there are no tokens."""
    async with running_node(tmp_path) as node:
        refused = await node.client().send(ALL)
        disabled = await client_of(node, "alice").send(ALL)

        assert refused.error_code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
        assert disabled.error_code == ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED
        assert refused.tokens == disabled.tokens == []
