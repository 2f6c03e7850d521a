"""Random logins: frames in any order, some of them damaged."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
import trio

from broker.security.principal import ANONYMOUS, user
from broker.security.sasl.plain import PlainClient
from protocol.headers import encode_request
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest
from tests.broker.api.authentication.sasl_node import MECHANISMS, log_in, sasl_node
from tests.client import Client

pytestmark = pytest.mark.anyio

TOKENS = [
    b"",
    b"\x01",
    b"\0alice\0wrong",
    b"n,,n=alice,r=nonce",
    b"n,,n=alice,r=nonce,tokenauth=true",
    b"c=biws,r=nonce,p=cHJvb2Y=",
    b"n,,\x01auth=Bearer eyJhbGciOiJub25lIn0.e30.\x01\x01",
    b"n,,\x01auth=Bearer x\x01\x01",
    b"\xff" * 40,
]


def frame(chance: random.Random) -> bytes:
    """A request of a login, or a token without a header; a third of them are damaged."""
    token = chance.choice(TOKENS)
    body, version = chance.choice(
        [
            (ApiVersionsRequest(client_software_name="a", client_software_version="1"), 4),
            (SaslHandshakeRequest(mechanism=chance.choice([*MECHANISMS, "GSSAPI", ""])), 0),
            (SaslHandshakeRequest(mechanism=chance.choice(MECHANISMS)), 1),
            (SaslHandshakeRequest(mechanism=chance.choice(MECHANISMS)), 1),
            (SaslAuthenticateRequest(auth_bytes=token), chance.randrange(3)),
            (SaslAuthenticateRequest(auth_bytes=token), chance.randrange(3)),
            (MetadataRequest(topics=None), 12),
            (None, 0),
        ]
    )
    if body is None:
        return struct.pack(">i", len(token)) + token
    data = bytearray(encode_request(body, version, 1, "fuzz"))
    if not chance.randrange(3):
        data[chance.randrange(4, len(data))] ^= chance.randrange(1, 256)
    return bytes(data)


async def run(client: Client, chance: random.Random) -> None:
    """Send up to eight frames, together or after pauses."""
    for _ in range(chance.randrange(1, 9)):
        if client.connection.is_closed:
            return
        client.write(frame(chance))
        if chance.randrange(2):
            await trio.sleep(chance.choice((0, 0.05, 0.2)))


@pytest.mark.parametrize("seed", range(20))
async def test_no_random_login_succeeds(tmp_path: Path, seed: int) -> None:
    """Nor does one cause an unexpected exception, or leave a connection or a timer."""
    chance = random.Random(seed)
    async with sasl_node(tmp_path) as node:
        node.store.add("SCRAM-SHA-256", "alice", "pencil")
        broker = node.running.node
        timers = broker.timer.size
        for _ in range(20):
            client = node.client()
            await run(client, chance)
            assert client.connection.session.principal == ANONYMOUS
            client.close()
        await trio.sleep(1)
        assert not len(broker.connections)
        assert broker.timer.size == timers
        client = node.client()

        assert (await log_in(client, PlainClient("alice", "secret"))).error_code == 0
        assert client.connection.session.principal == user("alice")
