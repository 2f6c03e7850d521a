"""Tests of the local port of each upstream node."""

from __future__ import annotations

import pytest
import trio

from recorder.addresses import Address
from recorder.nodes import Nodes

pytestmark = pytest.mark.anyio


async def test_a_node_keeps_its_port() -> None:
    """A node keeps its port; another node has another port."""
    async with trio.open_nursery() as nursery:
        nodes = Nodes("127.0.0.1", nursery, lambda _: None, lambda: 0)
        first = nodes.serve(Address("kafka", 1))

        assert nodes.serve(Address("kafka", 1)) == first
        assert nodes.serve(Address("kafka", 2)) not in (0, first)
        nursery.cancel_scope.cancel()


async def test_a_port_in_use_is_an_error() -> None:
    """A port that is in use raises OSError."""
    async with trio.open_nursery() as nursery:
        nodes = Nodes("127.0.0.1", nursery, lambda _: None, lambda: 0)
        taken = nodes.serve(Address("kafka", 1))
        with pytest.raises(OSError, match="in use"):
            nodes.serve(Address("kafka", 2), taken)
        nursery.cancel_scope.cancel()


async def test_a_node_that_is_gone_closes_the_client() -> None:
    """If a node is gone the client's connection is closed, and the proxy continues."""
    async with trio.open_nursery() as nursery:
        nodes = Nodes("127.0.0.1", nursery, lambda _: None, lambda: 0)
        port = nodes.serve(Address("127.0.0.1", 1))
        async with await trio.open_tcp_stream("127.0.0.1", port) as client:
            assert await client.receive_some() == b""
        nursery.cancel_scope.cancel()


async def test_a_client_gets_the_host_that_it_connected_to() -> None:
    """The address of a node contains the host that the client connected to."""
    async with trio.open_nursery() as nursery:
        nodes = Nodes("0.0.0.0", nursery, lambda _: None, lambda: 0)
        port = nodes.serve(Address("kafka", 1))
        async with await trio.open_tcp_stream("127.0.0.1", port) as client:
            assert nodes.local(client, 1, Address("kafka", 1)) == ("127.0.0.1", port)
            assert nodes.local(client, 2, Address("kafka", 2)).port not in (0, port)
        nursery.cancel_scope.cancel()
