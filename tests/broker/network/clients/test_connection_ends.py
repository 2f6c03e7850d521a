"""A connection may end at any moment, by either side, and ends nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.network.clients.connection import Connection
from broker.network.serving.channel import Channel
from broker.network.transports.memory_transport import MemoryTransport
from broker.network.transports.transport import Awaits, Disconnected, ReadinessListener
from protocol.framing import LENGTH_BYTES
from protocol.headers import encode_request
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest
from tests.batches import batch
from tests.client import Client, RunningNode, running_node
from tests.garbage import number_of, without_garbage_collection
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

RECORDS_BYTES = 400_000
REQUEST_MEMORY_BYTES = 1 << 20
LIMITS = {
    "socket_request_max_bytes": str(REQUEST_MEMORY_BYTES),
    "queued_max_request_bytes": str(REQUEST_MEMORY_BYTES),
    "connections_max_idle_ms": "5000",
}

Trouble = Callable[[Connection, MemoryTransport], None]


def reset(_connection: Connection, _ours: MemoryTransport) -> None:
    """The system reports at this call that the peer has reset the connection."""
    raise Disconnected("reset by peer")


def leave(_connection: Connection, ours: MemoryTransport) -> None:
    """The peer closes its side just before."""
    ours.other.close()


def be_closed(connection: Connection, _ours: MemoryTransport) -> None:
    """Another task closes the connection just before."""
    connection.close()


def fail(_connection: Connection, _ours: MemoryTransport) -> None:
    """The broker has a bug."""
    raise ZeroDivisionError


class TroubledTransport:
    """The broker's end of a connection; its call number ``trouble_at`` calls *trouble*."""

    def __init__(self, inner: MemoryTransport, trouble_at: int, trouble: Trouble) -> None:
        self.peer, self.fileno = inner.peer, inner.fileno
        self.awaits, self.is_opening = Awaits.BYTES, False
        self.send_file = None
        self.connection: Connection
        self.calls = 0
        self._inner = inner
        self._trouble_at = trouble_at
        self._trouble = trouble

    def watch(self, _user: ReadinessListener) -> None:
        """See `Transport.watch`: tasks wait for it."""

    def _called(self) -> None:
        self.calls += 1
        if self.calls == self._trouble_at:
            self._trouble(self.connection, self._inner)

    def receive_into(self, buffer: memoryview) -> int:
        """See `Transport`."""
        self._called()
        return self._inner.receive_into(buffer)

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """See `Transport`."""
        self._called()
        return self._inner.send(parts)

    async def wait_readable(self) -> None:
        """See `Transport`."""
        self._called()
        await self._inner.wait_readable()

    async def wait_writable(self) -> None:
        """See `Transport`."""
        self._called()
        await self._inner.wait_writable()

    def close(self) -> None:
        """See `Transport`."""
        self._inner.close()


def troubled_client(
    node: RunningNode, trouble_at: int, trouble: Trouble
) -> tuple[Client, TroubledTransport]:
    """A client, and the broker's end of its connection."""
    transports: list[TroubledTransport] = []

    def wrap(inner: MemoryTransport) -> TroubledTransport:
        transports.append(TroubledTransport(inner, trouble_at, trouble))
        return transports[0]

    client = node.client(room=8192, wrap=wrap)
    transports[0].connection = client.connection
    return client, transports[0]


async def conversation(client: Client) -> None:
    """All states of a connection: pipelined, parked, draining, throttled, half a request."""
    try:
        client.start(produce_request("t", batch(b"x")), PRODUCE_VERSION)
        client.start(fetch_request("t", 0), FETCH_VERSION)
        client.start(produce_request("t", batch(b"x"), acks=0), PRODUCE_VERSION)
        client.start(ApiVersionsRequest(), 0)
        for _ in range(3):
            await client.receive()
        client.start(fetch_request("none", 0, max_wait_ms=100, min_bytes=1000), FETCH_VERSION)
        client.start(produce_request("t", batch(bytes(2000))), PRODUCE_VERSION, "throttled")
        client.start(MetadataRequest(topics=None))
        for _ in range(3):
            await client.receive()
        half = encode_request(ApiVersionsRequest(), 0, 9, "x" * 1000)
        client.write(half[:500])
        await trio.testing.wait_all_tasks_blocked()
        client.write(half[500:])
        await client.frame()
    except (Disconnected, EOFError):
        pass
    client.close()


async def make_topics(node: RunningNode) -> None:
    """A topic with a large batch, an empty one, and a quota for one client."""
    node.controller.create_topic("t")
    node.controller.create_topic("none")
    node.controller.client_quotas.alter(
        (("client-id", "throttled"),), {"producer_byte_rate": 100.0}
    )
    await node.client().send(produce_request("t", batch(bytes(RECORDS_BYTES))), PRODUCE_VERSION)


async def assert_nothing_is_left(node: RunningNode, connection: Connection) -> None:
    """The connection holds nothing, and another client gets a response."""
    await trio.testing.wait_all_tasks_blocked()
    memory = node.node.connections.memory
    assert memory is not None
    assert memory.available_bytes == REQUEST_MEMORY_BYTES
    assert connection.in_progress is None
    assert connection.held_bytes == 0
    assert node.node.replication.purgatories.fetch.num_delayed() == 0
    other = node.client()
    assert (await other.send(ApiVersionsRequest(), 0)).error_code == 0
    other.close()


@pytest.mark.parametrize("trouble", [reset, leave, be_closed])
async def test_a_connection_may_end_at_every_call(tmp_path: Path, trouble: Trouble) -> None:
    """The same conversation is repeated, with trouble at each call of the transport."""
    async with running_node(tmp_path, kept=False, offload=None, **LIMITS) as node:
        await make_topics(node)
        client, undisturbed = troubled_client(node, 0, trouble)
        await conversation(client)
        await assert_nothing_is_left(node, undisturbed.connection)
        assert undisturbed.calls > 100

        for trouble_at in range(1, undisturbed.calls + 1):
            client, troubled = troubled_client(node, trouble_at, trouble)
            await conversation(client)
            await assert_nothing_is_left(node, troubled.connection)
            assert troubled.calls >= trouble_at


@pytest.mark.parametrize("is_closed_here", [False, True])
async def test_an_ended_connection_is_freed_without_garbage_collection(
    tmp_path: Path, is_closed_here: bool
) -> None:
    """Collections are rare, so a cycle of references would keep the memory of each connection."""
    async with running_node(tmp_path, kept=False, offload=None, **LIMITS) as node:
        await make_topics(node)
        with without_garbage_collection():
            before = number_of(Connection, Channel)
            client = node.client()
            await client.send(ApiVersionsRequest(), 0)
            await client.send(produce_request("t", batch(b"x")), PRODUCE_VERSION)
            assert number_of(Connection, Channel) == before + 2
            if is_closed_here:
                client.connection.close()
            client.close()
            del client
            await trio.testing.wait_all_tasks_blocked()
            assert number_of(Connection, Channel) == before


async def test_an_abandoned_fetch_is_freed_without_garbage_collection(tmp_path: Path) -> None:
    """The purgatory drops its operation at the next check of the partition."""
    async with running_node(tmp_path, kept=False, offload=None, **LIMITS) as node:
        await make_topics(node)
        other = node.client()
        with without_garbage_collection():
            before = number_of(Connection)
            client = node.client()
            client.start(fetch_request("none", 0, max_wait_ms=10_000), FETCH_VERSION)
            await trio.testing.wait_all_tasks_blocked()
            assert node.node.replication.purgatories.fetch.num_delayed() == 1
            client.close()
            del client
            await trio.testing.wait_all_tasks_blocked()
            await other.send(produce_request("none", batch(b"x")), PRODUCE_VERSION)
            assert number_of(Connection) == before


async def test_a_bug_in_a_task_of_a_connection_ends_that_connection(tmp_path: Path) -> None:
    """At each call of the transport it is reported once, and other clients are served."""
    bugs: list[Exception] = []
    async with running_node(tmp_path, kept=False, offload=None, **LIMITS) as node:
        await make_topics(node)
        client, undisturbed = troubled_client(node, 0, fail)
        await conversation(client)

        for trouble_at in range(1, undisturbed.calls + 1):
            client, _ = troubled_client(node, trouble_at, fail)
            client.connection.on_bug = lambda _peer, bug: bugs.append(bug)
            await conversation(client)
            await assert_nothing_is_left(node, client.connection)
            assert [type(bug) for bug in bugs] == [ZeroDivisionError] * trouble_at


async def test_a_bug_in_a_task_of_a_connection_is_raised_in_strict_mode(
    tmp_path: Path,
) -> None:
    """It ends the node's tasks, so that tests fail."""
    with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
        async with running_node(tmp_path) as node:
            client, _ = troubled_client(node, 2, fail)
            await conversation(client)


async def test_clients_that_read_a_part_of_their_responses_may_disconnect(tmp_path: Path) -> None:
    """Requests, the bytes that are read and the time of the disconnect are random."""
    draw = random.Random(15)
    async with running_node(tmp_path, kept=False, offload=None, **LIMITS) as node:
        await make_topics(node)
        large = encode_request(fetch_request("t", 0), FETCH_VERSION, 1, "slow")
        for _ in range(2000):
            client = node.client(room=draw.choice((512, 8192, 1 << 20)))
            wanted = large * draw.randint(1, 4)
            cut = draw.randint(LENGTH_BYTES, len(wanted))
            client.write(wanted[: min(cut, client.transport.room)])
            for _ in range(draw.randint(0, 3)):
                for _ in range(draw.randint(0, 4)):
                    await trio.lowlevel.checkpoint()
                del client.transport.incoming[: draw.randint(0, 4096)]
                client.transport.report(readable=True, writable=True)
                client.transport.other.report(readable=True, writable=True)
            if draw.random() < 0.3:
                client.connection.close()
            client.close()
        await assert_nothing_is_left(node, client.connection)
