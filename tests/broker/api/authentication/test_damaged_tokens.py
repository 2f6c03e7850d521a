"""Logins of which one message is damaged.

``make fuzz`` draws other examples in each run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from broker.security.principal import ANONYMOUS, Principal, user
from broker.security.sasl.bearer import BearerClient
from broker.security.sasl.mechanism import AuthenticationFailed, SaslClient
from broker.security.sasl.plain import PlainClient
from broker.security.sasl.scram import ScramClient
from protocol.errors import ErrorCode
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest
from tests.broker.api.authentication.sasl_node import SaslNode, sasl_node

pytestmark = pytest.mark.anyio

SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")
# In plain and signed messages, and in those that begin a login by SCRAM or OAUTHBEARER.
PARTS = [b",", b"=", b"n=", b"r=", b"m=", b"a=", b"c=biws", b"p=", b"\0", b"\x01", b"y,,", b"\xff"]
Edit = Callable[[bytes], bytes]


def edits() -> st.SearchStrategy[Edit]:
    """Bytes are changed, removed, inserted or repeated, or the message is another one."""
    share = st.floats(0, 1)
    part = st.one_of(st.sampled_from(PARTS), st.binary(max_size=8))

    def spliced(begin: float, removed: int, inserted: bytes) -> Edit:
        def edit(data: bytes) -> bytes:
            at = int(begin * len(data))
            return data[:at] + inserted + data[at + removed :]

        return edit

    return st.one_of(
        st.builds(spliced, share, st.integers(0, 6), part),
        st.builds(lambda other: lambda _: other, st.binary(max_size=200)),
        st.builds(lambda times: lambda data: data * times, st.sampled_from((2, 400))),
    )


async def begun(node: SaslNode, sasl: SaslClient, number: int, edit: Edit) -> Principal:
    """Log in with the message of that number edited; returns the principal afterwards.

    A login that fails has a response with its error, or no response, and the connection closes.
    """
    client = node.client()
    shaken = await client.send(SaslHandshakeRequest(mechanism=sasl.mechanism), 1)
    assert shaken.error_code == ErrorCode.NONE
    token: bytes | None = sasl.first()
    while token is not None:
        token, number = edit(token) if number == 0 else token, number - 1
        response = await client.send(SaslAuthenticateRequest(auth_bytes=token), 2)
        if response.error_code != ErrorCode.NONE:
            assert response.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
            assert await client.closed()
            break
        try:
            token = sasl.evaluate(bytes(response.auth_bytes))
        except AuthenticationFailed:
            break
    principal = client.connection.session.principal
    client.close()
    await trio.sleep(1)
    assert not len(node.running.node.connections)
    return principal


async def with_node(sasl: SaslClient, number: int, edit: Edit) -> Principal:
    """The principal after a login at a new node; alice has the password ``pencil``."""
    with tempfile.TemporaryDirectory() as folder:
        async with sasl_node(Path(folder)) as node:
            for mechanism in SCRAM:
                node.store.add(mechanism, "alice", "pencil")
            timers = node.running.node.timer.size
            principal = await begun(node, sasl, number, edit)
            assert node.running.node.timer.size == timers
            return principal


@given(mechanism=st.sampled_from(SCRAM), number=st.integers(0, 1), edit=edits())
async def test_a_damaged_message_of_scram_gives_no_other_identity(
    mechanism: str, number: int, edit: Edit
) -> None:
    """An edit of what is not verified changes nothing."""
    principal = await with_node(ScramClient(mechanism, "alice", "pencil"), number, edit)

    assert principal in (ANONYMOUS, user("alice"))


@given(edit=edits())
async def test_a_damaged_password_is_refused(edit: Edit) -> None:
    """The token of PLAIN is valid only as it is."""
    token = PlainClient("alice", "secret").first()
    principal = await with_node(PlainClient("alice", "secret"), 0, edit)

    same = edit(token) in (token, b"alice" + token)  # the user may be named twice
    assert principal == (user("alice") if same else ANONYMOUS)


@given(edit=edits())
async def test_a_damaged_message_of_oauthbearer_is_answered(edit: Edit) -> None:
    """An unsecured token that is edited may be valid, with another subject."""
    token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSIsImV4cCI6OTk5OTk5OTk5OX0."
    principal = await with_node(BearerClient(token), 0, edit)

    assert principal.type == "User"
