"""Sessions that have a lifetime, and re-authentications (KIP-368)."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
import trio

from broker.network.clients.connection import Connection
from broker.security.principal import user
from broker.security.sasl.credentials import TokenCredential
from broker.security.sasl.plain import PlainClient
from broker.security.sasl.scram import ScramClient
from broker.security.sasl.scram_messages import encoded
from protocol.errors import ErrorCode
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest
from tests.broker.api.authentication.sasl_node import log_in, sasl_node
from tests.client import EPOCH_MS, Client
from tests.garbage import number_of, without_garbage_collection
from tests.requests import fetch_request

pytestmark = pytest.mark.anyio

ALICE = PlainClient("alice", "secret").first()
VERSIONS = ApiVersionsRequest(client_software_name="test", client_software_version="1")


async def begin_login(client: Client, mechanism: str, version: int = 1) -> None:
    """Choose a mechanism."""
    response = await client.send(SaslHandshakeRequest(mechanism=mechanism), version)
    assert response.error_code == 0


REAUTH = {"connections_max_reauth_ms": "5000"}


@pytest.mark.parametrize("version", range(3))
async def test_the_response_has_the_lifetime_of_the_session(tmp_path: Path, version: int) -> None:
    """Since v1."""
    async with sasl_node(tmp_path, **REAUTH) as node:
        response = await log_in(node.client(), PlainClient("alice", "secret"), version)

        assert response.session_lifetime_ms == (5000 if version else 0)


@pytest.mark.parametrize(("max_reauth_ms", "lifetime_ms"), [("0", 9000), ("5000", 5000)])
async def test_a_session_ends_with_its_token(
    tmp_path: Path, max_reauth_ms: str, lifetime_ms: int
) -> None:
    """Or before."""
    async with sasl_node(tmp_path, connections_max_reauth_ms=max_reauth_ms) as node:
        expires_ms = EPOCH_MS + trio.current_time() * 1000 + 9000
        node.store.tokens["id"] = TokenCredential(user("alice"), b"hmac", expires_ms)
        password = encoded(b"hmac")
        client = node.client()
        sasl = ScramClient("SCRAM-SHA-256", "id", password, is_token=True)
        response = await log_in(client, sasl)

        assert response.session_lifetime_ms == pytest.approx(lifetime_ms, abs=2)
        assert client.connection.session.is_token_authenticated


async def test_the_first_request_after_the_lifetime_closes_the_connection(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A silent connection stays open."""
    async with sasl_node(tmp_path, **REAUTH) as node:
        client = await node.logged_in(PlainClient("alice", "secret"))
        await trio.sleep(4.9)
        assert (await client.send(MetadataRequest(topics=None))).cluster_id
        await trio.sleep(60)
        assert not client.connection.is_closed
        client.start(VERSIONS)

        assert await client.closed()
        assert "the session has expired" in caplog.text


async def test_a_request_that_waits_outlives_the_session(tmp_path: Path) -> None:
    """Its response is sent."""
    async with sasl_node(tmp_path, **REAUTH) as node:
        client = await node.logged_in(PlainClient("alice", "secret"))
        node.running.node.controller.create_topic("a")
        began = trio.current_time()

        response = await client.send(fetch_request("a", 0, max_wait_ms=8000), 12)

        assert response.responses[0].partitions[0].error_code == 0
        assert trio.current_time() - began == pytest.approx(8, abs=0.01)


async def test_a_client_logs_in_again(tmp_path: Path) -> None:
    """Before or after the end of its session, whose lifetime begins anew."""
    async with sasl_node(tmp_path, **REAUTH) as node:
        client = await node.logged_in(PlainClient("alice", "secret"))
        for pause_s in (4, 4, 60):
            await trio.sleep(pause_s)
            response = await log_in(client, PlainClient("alice", "secret"))
            assert (response.error_code, response.session_lifetime_ms) == (0, 5000)
            assert (await client.send(MetadataRequest(topics=None))).cluster_id


async def test_a_client_logs_in_again_at_most_once_a_second(tmp_path: Path) -> None:
    """An earlier handshake is ILLEGAL_SASL_STATE, and the session continues."""
    async with sasl_node(tmp_path, **REAUTH) as node:
        client = await node.logged_in(PlainClient("alice", "secret"))
        await log_in(client, PlainClient("alice", "secret"))
        await trio.sleep(0.9)
        early = await client.send(SaslHandshakeRequest(mechanism="PLAIN"), 1)
        assert early.error_code == ErrorCode.ILLEGAL_SASL_STATE
        assert (await client.send(MetadataRequest(topics=None))).cluster_id
        await trio.sleep(0.2)

        assert (await log_in(client, PlainClient("alice", "secret"))).error_code == 0


async def test_another_user_cannot_continue_a_session(tmp_path: Path) -> None:
    """The message names both."""
    async with sasl_node(tmp_path, **REAUTH) as node:
        client = await node.logged_in(PlainClient("alice", "secret"))
        response = await log_in(client, PlainClient("bob", "geheim"))

        assert response.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
        assert response.error_message == (
            "Cannot change principals during re-authentication from User.alice: User.bob"
        )
        assert await client.closed()


async def test_another_mechanism_cannot_continue_a_session(tmp_path: Path) -> None:
    """An enabled one closes the connection after the token and the delay, another one at once."""
    async with sasl_node(tmp_path, **REAUTH) as node:
        client = await node.logged_in(PlainClient("alice", "secret"))
        await begin_login(client, "SCRAM-SHA-256")
        began = trio.current_time()
        client.start(SaslAuthenticateRequest(auth_bytes=b"n,,n=alice,r=x"))
        assert await client.closed()
        assert trio.current_time() - began == pytest.approx(0.1, abs=0.002)
        client = await node.logged_in(PlainClient("alice", "secret"))
        client.start(SaslHandshakeRequest(mechanism="GSSAPI"), 1)

        assert await client.closed()


async def test_the_message_of_a_failed_reauthentication(tmp_path: Path) -> None:
    """It says so."""
    async with sasl_node(tmp_path, **REAUTH) as node:
        node.store.add("SCRAM-SHA-256", "alice", "pencil")
        client = await node.logged_in(ScramClient("SCRAM-SHA-256", "alice", "pencil"))
        response = await log_in(client, ScramClient("SCRAM-SHA-256", "alice", "wrong"))

        assert "failed during re-authentication" in response.error_message
        assert await client.closed()


async def test_a_raw_token_continues_a_session(tmp_path: Path) -> None:
    """After a handshake v0."""
    async with sasl_node(tmp_path, **REAUTH) as node:
        client = await node.logged_in(PlainClient("alice", "secret"))
        await begin_login(client, "PLAIN", 0)
        client.write(struct.pack(">i", len(ALICE)) + ALICE)

        assert await client.frame() == b""
        assert (await client.send(MetadataRequest(topics=None))).cluster_id


@pytest.mark.parametrize("password", ["secret", "wrong"])
async def test_an_ended_connection_is_freed_without_garbage_collection(
    tmp_path: Path, password: str
) -> None:
    """Its login refers to it."""
    async with sasl_node(tmp_path) as node:
        with without_garbage_collection():
            before = number_of(Connection)
            client = await node.logged_in(PlainClient("alice", password))
            assert number_of(Connection) == before + 1
            client.close()
            del client
            await trio.sleep(60)
            assert number_of(Connection) == before
