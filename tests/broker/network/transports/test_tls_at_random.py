"""TLS whose bytes are damaged on their way, in each place and manner.

``make fuzz`` draws other examples in each run.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from functools import cache

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from broker.network.transports.memory_transport import MemoryTransport
from broker.network.transports.tls_transport import TlsTransport
from broker.network.transports.transport import Awaits, Disconnected, ReadinessListener
from tests.broker.network.transports.tls_ends import Ends, send
from tests.tls import client_context, server_context

pytestmark = pytest.mark.anyio

REQUEST = bytes(range(256)) * 100  # several records
Damage = Callable[[bytes], bytes]


context_of = cache(client_context)


def at(data: bytes, share: float) -> int:
    """The index of a byte."""
    return int(share * (len(data) - 1))


shares = st.floats(0, 1)
damages: st.SearchStrategy[Damage] = st.one_of(
    st.builds(lambda share: lambda data: data[: at(data, share)], shares),
    st.builds(lambda share: lambda data: data[at(data, share) :], shares),
    st.builds(
        lambda share, bits: (
            lambda data: (
                data[: at(data, share)]
                + bytes([data[at(data, share)] ^ bits])
                + data[at(data, share) + 1 :]
            )
        ),
        shares,
        st.integers(1, 255),
    ),
    st.builds(
        lambda share, more: lambda data: data[: at(data, share)] + more + data[at(data, share) :],
        shares,
        st.binary(min_size=1, max_size=40),
    ),
    st.builds(lambda other: lambda _: other, st.binary(max_size=60)),
    st.just(lambda data: data + data),
    st.just(lambda _: b"\0\0\0\x16\0\x12\0\0\0\0\0\0\0\3abc\0\0\0\0\0"),  # ApiVersions
)


class DamagedWire:
    """The transport below a client: ``damage`` changes the piece of that number that it sends."""

    def __init__(self, below: MemoryTransport, number: int, damage: Damage) -> None:
        self.peer = below.peer
        self.awaits, self.is_opening = Awaits.BYTES, below.is_opening
        self.fileno, self.receive_into = below.fileno, below.receive_into
        self.send_file = None
        self.wait_readable = below.wait_readable
        self.wait_writable = below.wait_writable
        self.close = below.close
        self._below = below
        self._number = number
        self._damage = damage

    def watch(self, _user: ReadinessListener) -> None:
        """See `Transport.watch`: tasks wait for it."""

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """See `Transport.send`; *parts* count as sent, whatever is sent instead."""
        data = b"".join(parts)
        changed = self._damage(data) if data and self._number == 0 else data
        self._number -= bool(data)
        self._below.send([changed])
        return len(data)


async def received(server: TlsTransport) -> bytes:
    """All that a connection receives until its end, which is 0 bytes or `Disconnected`."""
    found, buffer = bytearray(), memoryview(bytearray(1 << 16))
    while True:
        try:
            await server.wait_readable()
            count = server.receive_into(buffer)
        except BlockingIOError:
            continue
        except Disconnected:
            break
        if not count:
            break
        found += buffer[:count]
    return bytes(found)


async def play(ends: Ends, found: list[bytes]) -> None:
    """Let the client shake hands, send a request and disconnect."""

    async def serve() -> None:
        found.append(await received(ends.server))
        ends.server.close()

    async def request() -> None:
        try:
            await ends.client.handshake()
            await send(ends.client, [REQUEST])
        except Disconnected:
            return

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        nursery.start_soon(request)
        await trio.testing.wait_all_tasks_blocked()
        ends.below_client.close()


@given(number=st.integers(0, 4), damage=damages, has_certificate=st.booleans())
async def test_damaged_bytes_never_become_a_request(
    number: int, damage: Damage, has_certificate: bool
) -> None:
    """What the server receives is what the client has sent, or its beginning, and an end."""
    ends, found = Ends(server_context(ssl.CERT_OPTIONAL)), list[bytes]()
    wire = DamagedWire(ends.below_client, number, damage)
    ends.client = TlsTransport(
        wire,
        context_of("alice" if has_certificate else None),
        server_side=False,
        server_hostname="localhost",
    )

    await play(ends, found)

    assert len(found) == 1
    assert REQUEST.startswith(found[0])
    untouched = Ends()
    await play(untouched, found)
    assert found[1] == REQUEST


@given(pieces=st.lists(st.binary(max_size=600), max_size=4))
async def test_random_bytes_are_not_a_handshake(pieces: list[bytes]) -> None:
    """No byte is received, and the connection ends."""
    ends = Ends()
    for piece in pieces:
        ends.below_client.send([piece])
    ends.below_client.end()

    assert await received(ends.server) == b""


@given(frames=st.lists(st.binary(min_size=1, max_size=400), min_size=1, max_size=8), size=shares)
async def test_a_stream_in_pieces_of_any_size_arrives_whole(
    frames: list[bytes], size: float
) -> None:
    """The wire may divide records anywhere, the handshake's included."""
    stream, ends = b"".join(frames), Ends(room=1 + int(size * 700))
    await ends.open()

    async def write() -> None:
        await send(ends.client, frames)
        ends.below_client.end()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(write)

        assert await received(ends.server) == stream
