"""Every order of the requests of a login, up to four of them.

The table is that of Kafka's ``SaslServerAuthenticator``; the parity scenarios in `sasl_order` play
such requests to Kafka.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
import trio.testing

from broker.security.principal import user
from broker.security.sasl.plain import PlainClient
from protocol.errors import ErrorCode
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest
from tests.broker.api.authentication.sasl_node import SaslNode, sasl_node

pytestmark = pytest.mark.anyio

REQUESTS: dict[str, tuple[Any, int]] = {
    "versions": (ApiVersionsRequest(client_software_name="a", client_software_version="1"), 4),
    "handshake": (SaslHandshakeRequest(mechanism="PLAIN"), 1),
    "unknown": (SaslHandshakeRequest(mechanism="UNKNOWN"), 1),
    "token": (SaslAuthenticateRequest(auth_bytes=PlainClient("alice", "secret").first()), 2),
    "wrong": (SaslAuthenticateRequest(auth_bytes=b"\0alice\0wrong"), 2),
    "metadata": (MetadataRequest(topics=[]), 13),
}
OK, NO_RESPONSE, CLOSED = ErrorCode.NONE, None, "closed"
ILLEGAL = ErrorCode.ILLEGAL_SASL_STATE
# By the state and the request: the error of the response, and the next state. All others of a state
# have the entry of "".
TABLE: dict[tuple[str, str], tuple[ErrorCode | None, str]] = {
    ("begin", "versions"): (OK, "versions sent"),
    ("begin", "handshake"): (OK, "mechanism chosen"),
    ("begin", "unknown"): (ErrorCode.UNSUPPORTED_SASL_MECHANISM, CLOSED),
    ("begin", ""): (NO_RESPONSE, CLOSED),
    ("versions sent", "handshake"): (OK, "mechanism chosen"),
    ("versions sent", "unknown"): (ErrorCode.UNSUPPORTED_SASL_MECHANISM, CLOSED),
    ("versions sent", ""): (NO_RESPONSE, CLOSED),
    ("mechanism chosen", "token"): (OK, "logged in"),
    ("mechanism chosen", "wrong"): (ErrorCode.SASL_AUTHENTICATION_FAILED, CLOSED),
    ("mechanism chosen", ""): (ILLEGAL, CLOSED),
    ("logged in", "versions"): (OK, "logged in"),
    ("logged in", "metadata"): (OK, "logged in"),
    ("logged in", ""): (ILLEGAL, "logged in"),
}


def expected(order: tuple[str, ...]) -> tuple[list[ErrorCode], str]:
    """The errors of the responses, and the last state."""
    errors, state = list[ErrorCode](), "begin"
    for request in order:
        if state == CLOSED:
            break
        error, state = TABLE.get((state, request)) or TABLE[state, ""]
        if error is not NO_RESPONSE:
            errors.append(error)
    return errors, state


async def play(node: SaslNode, order: tuple[str, ...]) -> tuple[list[int], bool, bool]:
    """Send the requests one after the other.

    Returns the errors of the responses, whether the connection was closed, and whether the client
    has logged in.
    """
    client, errors = node.client(), list[int]()
    for request in order:
        client.start(*REQUESTS[request])
        try:
            errors.append((await client.receive()).error_code)
        except EOFError:
            break
        await trio.testing.wait_all_tasks_blocked()
        if client.connection.is_closed:
            break
    is_closed = client.connection.is_closed
    client.close()
    return errors, is_closed, client.connection.session.principal == user("alice")


@pytest.mark.parametrize("length", [1, 2, 3, 4])
async def test_only_the_order_of_a_login_is_served(tmp_path: Path, length: int) -> None:
    """Other orders get errors or no response, and the connection closes."""
    async with sasl_node(tmp_path) as node:
        for order in product(REQUESTS, repeat=length):
            errors, state = expected(order)

            played = await play(node, order)

            assert (order, played) == (order, (errors, state == CLOSED, state == "logged in"))
