"""Logins over connections."""

from __future__ import annotations

import logging
import struct
from pathlib import Path

import pytest
import trio

from broker.security.principal import user
from broker.security.sasl.bearer import BearerClient
from broker.security.sasl.mechanism import SaslClient
from broker.security.sasl.plain import PlainClient
from broker.security.sasl.scram import ScramClient
from broker.security.sasl.unsecured_token import unsecured_token
from protocol.errors import ErrorCode
from protocol.headers import encode_request
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.metadata import MetadataRequest
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest
from tests.broker.api.authentication.sasl_node import MECHANISMS, SaslNode, log_in, sasl_node
from tests.client import Client

pytestmark = pytest.mark.anyio

ALICE = PlainClient("alice", "secret").first()
VERSIONS = ApiVersionsRequest(client_software_name="test", client_software_version="1")


def sasl_client(node: SaslNode, mechanism: str) -> SaslClient:
    """A client that logs in as alice."""
    if mechanism == "PLAIN":
        return PlainClient("alice", "secret")
    if mechanism == "OAUTHBEARER":
        options = {"unsecuredLoginStringClaim_sub": "alice"}
        return BearerClient(unsecured_token(options, node.running.node.clock.wall_ms()))
    node.store.add(mechanism, "alice", "pencil")
    return ScramClient(mechanism, "alice", "pencil")


async def shake_hands(client: Client, mechanism: str = "PLAIN", version: int = 1) -> None:
    """Choose a mechanism."""
    response = await client.send(SaslHandshakeRequest(mechanism=mechanism), version)
    assert (response.error_code, response.mechanisms) == (0, MECHANISMS)


async def token(client: Client, auth_bytes: bytes, version: int = 2) -> tuple[int, str | None]:
    """The error and the message of a token's response."""
    response = await client.send(SaslAuthenticateRequest(auth_bytes=auth_bytes), version)
    return response.error_code, response.error_message


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("version", range(3))
async def test_a_client_logs_in(tmp_path: Path, mechanism: str, version: int) -> None:
    """Its session has its principal, and then it may send requests."""
    async with sasl_node(tmp_path) as node:
        client = await node.logged_in(sasl_client(node, mechanism), version)

        assert client.connection.session.principal == user("alice")
        assert client.connection.session.listener == "CLIENTS"
        assert (await client.send(MetadataRequest(topics=None))).cluster_id


async def test_versions_are_requested_before_and_after_the_login(tmp_path: Path) -> None:
    """With the same response."""
    async with sasl_node(tmp_path) as node:
        client = node.client()
        before = await client.send(VERSIONS)
        await log_in(client, PlainClient("alice", "secret"))

        assert await client.send(VERSIONS) == before


async def test_a_client_may_try_other_versions_of_api_versions(tmp_path: Path) -> None:
    """After an unknown version and after a name that is not allowed, it may send another one."""
    async with sasl_node(tmp_path) as node:
        client = node.client()
        client.write(struct.pack(">ihhih", 10, 18, 99, 5, -1))
        assert (await client.frame())[4:6] == ErrorCode.UNSUPPORTED_VERSION.to_bytes(2)
        bad = await client.send(ApiVersionsRequest(client_software_name="-"))
        assert bad.error_code == ErrorCode.INVALID_REQUEST

        assert (await client.send(ApiVersionsRequest(), 0)).error_code == 0
        await shake_hands(client)


@pytest.mark.parametrize(
    "body",
    [
        MetadataRequest(topics=None),
        SaslAuthenticateRequest(auth_bytes=ALICE),
    ],
)
async def test_other_requests_before_the_handshake_close_the_connection(
    tmp_path: Path, body: object, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a response and at once."""
    async with sasl_node(tmp_path) as node:
        client = node.client()
        client.start(body)

        assert await client.closed()
        name = type(body).__name__.removesuffix("Request")
        assert f"{name} is not served before the client has logged in" in caplog.text


async def test_a_second_api_versions_closes_the_connection(tmp_path: Path) -> None:
    """Without a response."""
    async with sasl_node(tmp_path) as node:
        client = node.client()
        await client.send(VERSIONS)
        client.start(VERSIONS)

        assert await client.closed()


@pytest.mark.parametrize(("key", "version"), [(17, 9), (36, 9), (0x6006, 0)])
async def test_unknown_versions_close_the_connection(
    tmp_path: Path, key: int, version: int
) -> None:
    """And so does a token of Kerberos."""
    async with sasl_node(tmp_path) as node:
        client = node.client()
        if key == 36:
            await shake_hands(client)
        client.write(struct.pack(">ihhih", 10, key, version, 1, -1))

        assert await client.closed()


@pytest.mark.parametrize("mechanism", ["GSSAPI", "plain", ""])
async def test_a_mechanism_that_is_not_enabled_is_refused_after_the_delay(
    tmp_path: Path, mechanism: str
) -> None:
    """The response names those that are enabled; then the connection closes."""
    async with sasl_node(tmp_path) as node:
        client, began = node.client(), trio.current_time()
        response = await client.send(SaslHandshakeRequest(mechanism=mechanism), 1)

        assert response.error_code == ErrorCode.UNSUPPORTED_SASL_MECHANISM
        assert response.mechanisms == MECHANISMS
        assert trio.current_time() - began == pytest.approx(0.1, abs=0.002)
        assert await client.closed()


@pytest.mark.parametrize("delay_ms", [0, 100, 5000])
async def test_the_response_to_a_failed_login_is_delayed(
    tmp_path: Path, delay_ms: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Then the connection closes; requests behind the token have no response."""
    delay = {"connection_failed_authentication_delay_ms": str(delay_ms)}
    async with sasl_node(tmp_path, **delay) as node:
        client, began = node.client(), trio.current_time()
        await shake_hands(client)
        client.start(SaslAuthenticateRequest(auth_bytes=b"\0alice\0wrong-password"))
        client.start(MetadataRequest(topics=None))
        response = await client.receive()

        assert response.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
        assert response.error_message == "Authentication failed: Invalid username or password"
        assert trio.current_time() - began == pytest.approx(delay_ms / 1000, abs=0.002)
        assert await client.closed()
        assert "listener CLIENTS, mechanism PLAIN: wrong password of user 'alice'" in caplog.text
        assert "wrong-password" not in caplog.text


async def test_the_wait_of_a_failed_login_is_described(tmp_path: Path) -> None:
    """For the admin interface and wait records."""
    async with sasl_node(tmp_path) as node:
        client = node.client()
        await shake_hands(client)
        client.start(SaslAuthenticateRequest(auth_bytes=b"\0alice\0wrong"))
        await trio.sleep(0.03)

        (parked,) = node.parked
        assert parked.wait.purgatory == "FailedAuthentication"
        assert parked.wait.condition() == {"kind": "failed_authentication"}
        assert parked.wait.timeout_ms == 100
        assert parked.wait.remaining_ms(node.running.node.timer.now_ms()) == 70


async def test_a_client_that_disconnects_cancels_the_delay(tmp_path: Path) -> None:
    """Nothing is left in the timer."""
    async with sasl_node(tmp_path) as node:
        await shake_hands(client := node.client())
        before = node.running.node.timer.size
        client.start(SaslAuthenticateRequest(auth_bytes=b"\0alice\0wrong"))
        await trio.sleep(0.01)
        assert node.running.node.timer.size == before + 1
        client.close()
        await trio.sleep(0.01)

        assert node.running.node.timer.size < before + 1


async def test_scram_has_one_message_for_all_failures(tmp_path: Path) -> None:
    """It names the mechanism."""
    async with sasl_node(tmp_path) as node:
        node.store.add("SCRAM-SHA-256", "alice", "pencil")
        for name, password in (("alice", "wrong"), ("bob", "pencil")):
            sasl = ScramClient("SCRAM-SHA-256", name, password)
            response = await log_in(node.client(), sasl)

            assert response.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
            assert response.error_message == (
                "Authentication failed during authentication due to invalid credentials with SASL "
                "mechanism SCRAM-SHA-256"
            )


@pytest.mark.parametrize(
    ("body", "has_error"),
    [
        (VERSIONS, True),
        (SaslHandshakeRequest(mechanism="PLAIN"), True),
        (DescribeGroupsRequest(groups=["g"]), False),
        (MetadataRequest(topics=None), False),
    ],
)
async def test_a_request_in_place_of_a_token_is_illegal(
    tmp_path: Path, body: object, has_error: bool
) -> None:
    """Its own response has the error where it can, after the delay; then the connection closes."""
    async with sasl_node(tmp_path) as node:
        client = node.client()
        await shake_hands(client)
        began = trio.current_time()
        response = await client.send(body)

        if has_error:
            assert response.error_code == ErrorCode.ILLEGAL_SASL_STATE
        assert trio.current_time() - began == pytest.approx(0.1, abs=0.002)
        assert await client.closed()


async def test_tokens_after_the_login_are_illegal(tmp_path: Path) -> None:
    """And so is a handshake, unless the session has a lifetime; the connection stays open."""
    async with sasl_node(tmp_path) as node:
        client = await node.logged_in(PlainClient("alice", "secret"))

        assert (await token(client, ALICE))[0] == ErrorCode.ILLEGAL_SASL_STATE
        shaken = await client.send(SaslHandshakeRequest(mechanism="PLAIN"), 1)
        assert (shaken.error_code, shaken.mechanisms) == (ErrorCode.ILLEGAL_SASL_STATE, [])
        assert (await client.send(MetadataRequest(topics=None))).cluster_id


@pytest.mark.parametrize("mechanism", MECHANISMS)
async def test_tokens_of_handshake_v0_have_no_header(tmp_path: Path, mechanism: str) -> None:
    """The server's are frames without a header, too."""
    async with sasl_node(tmp_path) as node:
        client, sasl = node.client(), sasl_client(node, mechanism)
        await shake_hands(client, mechanism, 0)
        raw: bytes | None = sasl.first()
        while raw is not None:
            client.write(struct.pack(">i", len(raw)) + raw)
            raw = sasl.evaluate(await client.frame())

        assert (await client.send(MetadataRequest(topics=None))).cluster_id
        assert client.connection.session.principal == user("alice")


async def test_a_failed_raw_token_closes_the_connection_after_the_delay(tmp_path: Path) -> None:
    """Without a response."""
    async with sasl_node(tmp_path) as node:
        client, began = node.client(), trio.current_time()
        await shake_hands(client, version=0)
        client.write(struct.pack(">i", 9) + b"\0alice\0xx")

        assert await client.closed()
        assert trio.current_time() - began == pytest.approx(0.1, abs=0.002)


async def test_a_disconnect_abandons_a_failed_raw_token(tmp_path: Path) -> None:
    """Nothing is left in the timer."""
    async with sasl_node(tmp_path) as node:
        client = node.client()
        await shake_hands(client, version=0)
        client.write(struct.pack(">i", 9) + b"\0alice\0xx")
        await trio.sleep(0.01)
        client.close()
        await trio.sleep(0.2)

        assert not node.parked


async def test_requests_may_be_pipelined_behind_the_tokens(tmp_path: Path) -> None:
    """Handshake, token and a request in one packet."""
    async with sasl_node(tmp_path) as node:
        client = node.client()
        client.start(SaslHandshakeRequest(mechanism="PLAIN"), 1)
        client.start(SaslAuthenticateRequest(auth_bytes=ALICE))
        client.start(MetadataRequest(topics=None))

        assert (await client.receive()).error_code == 0
        assert (await client.receive()).error_code == 0
        assert (await client.receive()).cluster_id


async def test_frames_before_the_login_are_limited(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """To ``sasl.server.max.receive.size``; afterwards by ``socket.request.max.bytes``."""
    async with sasl_node(tmp_path, sasl_server_max_receive_size="100") as node:
        client = await node.logged_in(PlainClient("alice", "secret"))
        large = DescribeGroupsRequest(groups=["g" * 200])
        assert (await client.send(large)).groups
        other = node.client()
        other.write(encode_request(large, 5, 1, None))

        assert await other.closed()
        assert "the maximum is 100" in caplog.text


@pytest.mark.parametrize("begins", [True, False])
@pytest.mark.parametrize("length", [b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"GET "])
async def test_a_frame_of_an_invalid_length_is_a_failed_login(
    tmp_path: Path, length: bytes, begins: bool
) -> None:
    """The connection closes after the delay, without a response."""
    async with sasl_node(tmp_path) as node:
        client = node.client()
        if begins:
            await shake_hands(client)
        began = trio.current_time()
        client.write(length)

        assert await client.closed()
        assert trio.current_time() - began == pytest.approx(0.1, abs=0.002)
        assert client.connection.is_closed


async def test_after_the_login_an_invalid_length_closes_at_once(tmp_path: Path) -> None:
    """As on listeners without a login."""
    async with sasl_node(tmp_path) as node:
        client = await node.logged_in(PlainClient("alice", "secret"))
        began = trio.current_time()
        client.write(b"GET ")

        assert await client.closed()
        assert trio.current_time() == began


async def test_a_login_again_has_the_limit_of_a_login(tmp_path: Path) -> None:
    """Afterwards the limit is that of requests."""
    limits = {"sasl_server_max_receive_size": "100", "connections_max_reauth_ms": "5000"}
    async with sasl_node(tmp_path, **limits) as node:
        client = await node.logged_in(PlainClient("alice", "secret"))
        await trio.sleep(2)
        await shake_hands(client)
        began = trio.current_time()
        client.write(b"\0\0\0\x65")

        assert await client.closed()
        assert trio.current_time() - began == pytest.approx(0.1, abs=0.002)


async def test_a_bad_bearer_token_fails_after_the_client_has_received_the_error(
    tmp_path: Path,
) -> None:
    """The message is the error."""
    async with sasl_node(tmp_path) as node:
        response = await log_in(node.client(), BearerClient("x.y."))

        assert response.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
        assert response.error_message == '{"status":"invalid_token"}'


async def test_a_login_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With its principal, listener and mechanism."""
    caplog.set_level(logging.INFO, "antechamber.authentication")
    async with sasl_node(tmp_path) as node:
        await node.logged_in(PlainClient("alice", "secret"))

        assert "has logged in as User:alice: listener CLIENTS, mechanism PLAIN" in caplog.text
