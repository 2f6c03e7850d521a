"""The login of a node at a listener with SASL."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.network.inter_broker.request_sender import RequestSender
from broker.network.inter_broker.sasl_login import LoginFailed, NodeLogin, log_in
from broker.security.principal import user
from broker.security.sasl.bearer import BearerClient
from broker.security.sasl.mechanism import SaslClient
from broker.security.sasl.plain import PlainClient
from broker.security.sasl.scram import ScramClient
from protocol.framing import Scratch
from protocol.messages.metadata import MetadataRequest
from tests.broker.api.authentication.sasl_node import sasl_node

pytestmark = pytest.mark.anyio


def login_with(sasl: SaslClient) -> NodeLogin:
    """A login whose session has no end."""
    return NodeLogin("leader", lambda: sasl, lambda: 0)


@pytest.mark.parametrize(
    "sasl", [PlainClient("alice", "secret"), ScramClient("SCRAM-SHA-512", "alice", "pencil")]
)
async def test_a_node_logs_in(tmp_path: Path, sasl: SaslClient) -> None:
    """Then it sends its requests over the connection."""
    async with sasl_node(tmp_path) as node:
        node.store.add("SCRAM-SHA-512", "alice", "pencil")
        client, scratch = node.client(), Scratch()

        await log_in(client.transport, login_with(sasl), scratch)

        sender = RequestSender(client.transport, scratch, "node")
        assert (await sender.response(MetadataRequest(topics=None))).cluster_id
        assert client.connection.session.principal == user("alice")


@pytest.mark.parametrize(
    ("sasl", "reason"),
    [
        (PlainClient("alice", "wrong"), "Invalid username or password"),
        (ScramClient("SCRAM-SHA-512", "bob", "x"), "invalid credentials"),
        (BearerClient("x"), "invalid_token"),
    ],
)
async def test_a_login_that_fails_closes_the_connection(
    tmp_path: Path, sasl: SaslClient, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The error and the log have the reason."""
    async with sasl_node(tmp_path) as node:
        client = node.client()

        with pytest.raises(LoginFailed, match=reason):
            await log_in(client.transport, login_with(sasl), Scratch())

        assert reason in caplog.text
        assert sasl.mechanism in caplog.text


async def test_a_mechanism_that_is_not_enabled_is_reported(tmp_path: Path) -> None:
    """With those that are enabled."""
    async with sasl_node(tmp_path) as node:
        sasl = PlainClient("alice", "secret")
        sasl.mechanism = "GSSAPI"

        with pytest.raises(LoginFailed, match=r"not enabled there; enabled: PLAIN, SCRAM"):
            await log_in(node.client().transport, login_with(sasl), Scratch())
