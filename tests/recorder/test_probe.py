"""Tests of the check of the upstream."""

from __future__ import annotations

import pytest
import trio
from trio.testing import memory_stream_pair

from recorder.addresses import Address
from recorder.probe import problem_of, responds

pytestmark = pytest.mark.anyio

TLS_ALERT = bytes.fromhex("15 0303 0002 02 46")  # protocol_version


@pytest.mark.parametrize(
    ("response", "is_one"),
    [
        (b"\0\0\0\6\0\0\0\0\0\x23", True),  # an error response is a frame, too
        (TLS_ALERT, False),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", False),
        (b"", False),
    ],
)
async def test_kafka_responds_with_frames(response: bytes, is_one: bool) -> None:
    """Only a frame is a Kafka response: no TLS alert, HTTP response or closed connection."""
    ours, theirs = memory_stream_pair()

    async def serve() -> None:
        assert await theirs.receive_some() == b"question"
        await theirs.send_all(response)
        await theirs.aclose()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        assert await responds(ours, b"question") is is_one


async def test_an_upstream_that_refuses_connections_is_reported() -> None:
    """A port without a listener is reported as unreachable."""
    problem = await problem_of(Address("127.0.0.1", 1))
    assert problem == "cannot connect; start a Kafka there, or give another HOST:PORT"
