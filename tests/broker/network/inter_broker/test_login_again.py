"""Connections between nodes whose sessions have a lifetime (KIP-368)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio.testing

from broker.network.inter_broker.inter_broker_connection import InterBrokerConnection
from broker.network.inter_broker.sasl_login import LoginFailed, NodeLogin
from broker.security.sasl.plain import PlainClient
from broker.steps.queue import Slices
from protocol.messages.fetch import FetchRequest, FetchResponse
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from tests.broker.replication.follower.scripted_leader import LEADER, ScriptedLeader, following

pytestmark = pytest.mark.anyio

REQUEST = FetchRequest(max_wait_ms=500, min_bytes=1, topics=[])


class LoggedIn:
    """A connection that has logged in, for 10 s; ``now_ms`` is its clock."""

    def __init__(self, leader: ScriptedLeader) -> None:
        self.leader = leader
        self.now_ms = 0.0
        self.connection: InterBrokerConnection
        self.used: list[FetchResponse] = []
        self.ended: list[Exception] = []

    def login(self, peer: str) -> NodeLogin:
        """Its logins."""
        return NodeLogin(peer, lambda: PlainClient("node", "word"), lambda: self.now_ms)

    async def accept(self, **response: Any) -> None:
        """Respond to the requests of a login."""
        handshake = await self.leader.request()
        assert isinstance(handshake, SaslHandshakeRequest)
        self.leader.respond(SaslHandshakeResponse(error_code=0, mechanisms=["PLAIN"]))
        assert isinstance(await self.leader.request(), SaslAuthenticateRequest)
        self.leader.respond(
            SaslAuthenticateResponse(auth_bytes=b"", session_lifetime_ms=10_000, **response)
        )

    async def fetch(self) -> None:
        """Send a request."""
        self.connection.send_request(REQUEST, self.keep)
        await trio.testing.wait_all_tasks_blocked()

    def keep(self, response: FetchResponse) -> Slices[None]:
        """Use a response."""
        self.used.append(response)
        yield from ()

    async def responds(self) -> None:
        """The leader receives a fetch, and responds."""
        await self.leader.fetch()
        self.leader.respond(FetchResponse(responses=[]))
        await trio.testing.wait_all_tasks_blocked()


@asynccontextmanager
async def logged_in() -> AsyncIterator[LoggedIn]:
    async with following() as (node, leader, _):
        each = LoggedIn(leader)

        async def connect() -> None:
            connections = node.others.connections(leader.connect, each.login)
            each.connection = await connections.open(
                node.link_to(LEADER), "", 0, "node-1", each.ended.append
            )

        async with trio.open_nursery() as nursery:
            nursery.start_soon(connect)
            await trio.testing.wait_all_tasks_blocked()
            await each.accept()
        yield each


async def test_a_connection_logs_in_again_before_its_session_expires() -> None:
    """The request is sent when the login is complete, on the same connection."""
    async with logged_in() as each:
        each.now_ms = 9000
        await each.fetch()
        await each.accept()
        await each.responds()

        assert len(each.used) == 1
        assert each.leader.connections == 1


async def test_no_login_precedes_a_request_while_the_session_lasts() -> None:
    """The session of a second login has its own time."""
    async with logged_in() as each:
        each.now_ms = 8999
        await each.fetch()
        await each.responds()
        each.now_ms = 9000
        await each.fetch()
        await each.accept()
        await each.responds()
        each.now_ms = 17_999
        await each.fetch()
        await each.responds()

        assert len(each.used) == 3


async def test_a_second_login_that_fails_ends_the_connection() -> None:
    """The request has no response."""
    async with logged_in() as each:
        each.now_ms = 9000
        await each.fetch()
        await each.accept(error_code=58, error_message="no longer")
        await trio.testing.wait_all_tasks_blocked()

        [reason] = each.ended
        assert isinstance(reason, LoginFailed)
        assert "no longer" in str(reason)
        assert each.used == []
