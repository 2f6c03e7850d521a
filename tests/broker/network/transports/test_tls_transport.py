"""TLS over transports in memory; the client is the same class."""

from __future__ import annotations

import ssl
from contextlib import suppress

import pytest
import trio
import trio.testing

from broker.network.transports.memory_transport import MemoryTransport
from broker.network.transports.tls_records import RECORDS_AT_ONCE
from broker.network.transports.tls_transport import TlsTransport
from broker.network.transports.transport import Awaits, Disconnected, TlsFailed
from tests.broker.network.transports.tls_ends import (
    NOTHING,
    Ends,
    failure_of_receive,
    receive,
    send,
)
from tests.garbage import number_of, without_garbage_collection
from tests.tls import client_context, server_context

pytestmark = pytest.mark.anyio


async def test_bytes_arrive_in_both_directions() -> None:
    """The stream below carries no plaintext."""
    ends = Ends()
    await ends.open()

    assert ends.client.send([b"some ", b"request"]) == 12
    assert b"request" not in ends.below_server.incoming
    assert await receive(ends.server, 12) == b"some request"
    assert ends.server.send([b"response"]) == 8
    assert await receive(ends.client, 8) == b"response"


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_each_protocol_version_is_served(version: ssl.TLSVersion) -> None:
    """The client chooses it."""
    client = client_context()
    client.minimum_version = client.maximum_version = version
    ends = Ends(client=client)
    await ends.open()

    await send(ends.client, [b"request"])

    assert await receive(ends.server, 7) == b"request"


async def test_nothing_is_received_or_sent_before_the_handshake_has_ended() -> None:
    """A connection that receives too early continues to wait."""
    ends = Ends()

    with pytest.raises(BlockingIOError):
        ends.server.receive_into(memoryview(bytearray(10)))

    assert ends.server.send([b"x"]) == 0
    assert ends.server.peer_certificate is None


async def test_a_request_that_arrives_with_the_end_of_the_handshake_is_readable_at_once() -> None:
    """It is in the same piece of the stream as the client's last message of the handshake."""
    ends = Ends()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ends.client.handshake)
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(BlockingIOError):
            ends.server.receive_into(NOTHING)  # the server's messages are sent
    ends.client.send([b"request"])

    assert await receive(ends.server, 7) == b"request"


async def test_what_does_not_fit_into_the_buffer_is_readable_without_the_socket() -> None:
    """The rest of a record has been decrypted, and further records have been received."""
    ends = Ends()
    await ends.open()
    ends.client.send([b"first-"])
    ends.client.send([b"second-third"])

    received = []
    for _ in range(3):
        await ends.server.wait_readable()
        buffer = bytearray(6)
        received.append(bytes(buffer[: ends.server.receive_into(memoryview(buffer))]))
        assert not ends.below_server.incoming

    assert received == [b"first-", b"second", b"-third"]
    with pytest.raises(BlockingIOError):
        ends.server.receive_into(memoryview(bytearray(6)))


async def test_one_call_decrypts_a_few_records() -> None:
    """The rest is readable without the socket, so that others are served between the calls."""
    ends = Ends()
    await ends.open()
    data = bytes(range(100))
    for each in data:
        ends.client.send([bytes([each])])

    received = list[bytes]()
    while sum(map(len, received)) < len(data):
        assert ends.server.awaits is Awaits.NOTHING
        buffer = bytearray(1000)
        received.append(bytes(buffer[: ends.server.receive_into(memoryview(buffer))]))

    assert [len(each) for each in received] == [RECORDS_AT_ONCE] * 3 + [4]
    assert b"".join(received) == data


async def test_an_incomplete_record_is_not_readable() -> None:
    """The rest of the record makes it readable."""
    ends = Ends()
    await ends.open()
    ends.client.send([b"request"])
    incoming = ends.below_server.incoming
    rest = bytes(incoming[10:])
    del incoming[10:]

    await ends.server.wait_readable()
    with pytest.raises(BlockingIOError):
        ends.server.receive_into(memoryview(bytearray(10)))
    ends.below_client.send([rest])

    assert await receive(ends.server, 7) == b"request"


@pytest.mark.parametrize("room", [100, 5000, 70_000, 1 << 22])
async def test_a_long_stream_arrives_whole_however_little_the_socket_takes(room: int) -> None:
    """The parts have sizes below, at and above those of records and chunks."""
    sizes = (1, 10, 16_384, 65_536, 65_537, 3, 400_000, 0, 20_000, 131_072)
    parts = [bytes([at]) * size for at, size in enumerate(sizes)]
    ends = Ends(room=room)
    await ends.open()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(send, ends.server, parts)
        received = await receive(ends.client, sum(sizes))

    assert received == b"".join(parts)


async def test_bytes_count_as_sent_when_their_ciphertext_is_sent() -> None:
    """While the socket is full the size is 0; later calls are given the same bytes."""
    ends = Ends(room=5000)
    await ends.open()
    data = [bytes(10_000)]

    assert ends.server.send(data) == 0
    assert ends.server.send(data) == 0
    async with trio.open_nursery() as nursery:
        nursery.start_soon(receive, ends.client, 10_000)
        await trio.testing.wait_all_tasks_blocked()
        await ends.server.wait_writable()
        sent = ends.server.send(data)
        while not sent:
            await ends.server.wait_writable()
            sent = ends.server.send(data)

    assert sent == 10_000


async def test_small_parts_become_one_record() -> None:
    """A record has a header and an authentication tag of its own."""
    ends = Ends()
    await ends.open()

    ends.server.send([b"a" * 100, b"b" * 100, b"c" * 100])

    assert len(ends.below_client.incoming) == 300 + 22


async def test_a_damaged_record_ends_the_connection() -> None:
    """Its authentication tag is wrong."""
    ends = Ends()
    await ends.open()
    ends.client.send([b"request"])
    ends.below_server.incoming[-1] ^= 1

    failure = await failure_of_receive(ends.server)

    assert isinstance(failure, TlsFailed)
    with pytest.raises(TlsFailed):
        ends.server.send([b"x"])


@pytest.mark.parametrize("is_announced", [True, False])
async def test_the_end_of_the_stream_is_zero_bytes(is_announced: bool) -> None:
    """A peer may disconnect with or without the end of the TLS session, as TCP's end."""
    ends = Ends()
    await ends.open()
    ends.client.send([b"last"])
    (ends.client if is_announced else ends.below_client).close()

    assert await receive(ends.server, 100) == b"last"
    for _ in range(2):
        await ends.server.wait_readable()
        assert ends.server.receive_into(memoryview(bytearray(10))) == 0


async def test_a_client_that_sends_no_more_still_receives() -> None:
    """It has ended its TLS session, and its socket is open for receiving."""
    ends = Ends()
    await ends.open()
    ends.below_client.end()
    await ends.server.wait_readable()
    assert ends.server.receive_into(memoryview(bytearray(10))) == 0

    ends.server.send([b"response"])

    assert await receive(ends.client, 8) == b"response"


async def test_every_use_of_a_closed_transport_is_a_disconnect() -> None:
    """Another task may close the transport at any time."""
    ends = Ends()
    await ends.open()
    ends.client.send([b"ab"])
    await ends.server.wait_readable()
    ends.server.receive_into(memoryview(bytearray(1)))
    ends.server.close()
    ends.server.close()

    with pytest.raises(Disconnected):
        ends.server.receive_into(memoryview(bytearray(1)))
    with pytest.raises(Disconnected):
        ends.server.send([b"x"])
    with pytest.raises(Disconnected):
        await ends.server.wait_readable()
    with pytest.raises(Disconnected):
        await ends.server.wait_writable()


def test_the_address_is_that_of_the_transport_below() -> None:
    """Quotas, logs and ACLs use it."""
    below = MemoryTransport()
    below.peer = "192.0.2.1"

    assert TlsTransport(below, server_context()).peer == "192.0.2.1"


def test_a_failed_transport_is_freed_without_garbage_collection() -> None:
    """Its exception has a traceback that refers to it, and each has the memory of a TLS session."""
    with without_garbage_collection():
        before = number_of(TlsTransport)
        ends = Ends()
        ends.below_client.send([b"not a record of TLS"])
        with suppress(Disconnected):
            ends.server.receive_into(NOTHING)
        ends.server.close()
        ends.client.close()
        assert number_of(TlsTransport) == before + 2
        del ends
        assert number_of(TlsTransport) == before
