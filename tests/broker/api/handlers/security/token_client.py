"""A node with delegation tokens, and its authenticated clients."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from broker.config.keys.authorization import STANDARD_AUTHORIZER
from broker.security.principal import user
from broker.security.session import SecurityProtocol, Session
from protocol.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from tests.client import Client, RunningNode, running_node


@asynccontextmanager
async def token_node(tmp_path: Path) -> AsyncIterator[RunningNode]:
    """A node with an authorizer; the user root is a super user."""
    async with running_node(
        tmp_path,
        delegation_token_secret_key="secret",
        authorizer_class_name=STANDARD_AUTHORIZER,
        super_users="User:root",
    ) as node:
        yield node


def client_of(node: RunningNode, name: str) -> Client:
    """A client that has logged in as a user."""
    client = node.client()
    client.connection.session = Session(user(name), protocol=SecurityProtocol.SASL_PLAINTEXT)
    return client


def creation(owner: str | None = None, *renewers: str) -> CreateDelegationTokenRequest:
    """A request for a token, of the client or of another owner."""
    return CreateDelegationTokenRequest(
        owner_principal_type=None if owner is None else "User",
        owner_principal_name=owner,
        renewers=[
            CreatableRenewers(principal_type="User", principal_name=name) for name in renewers
        ],
        max_lifetime_ms=-1,
    )


async def issued(node: RunningNode, name: str, *renewers: str) -> Any:
    """The response to the creation of a token of a user."""
    response = await client_of(node, name).send(creation(None, *renewers))
    assert response.error_code == 0
    return response
