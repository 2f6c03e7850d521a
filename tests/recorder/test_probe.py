"""The first look at the upstream."""

from __future__ import annotations

import pytest
import trio
from trio.testing import memory_stream_pair

from recorder.addresses import Address
from recorder.probe import problem_of, problem_with

pytestmark = pytest.mark.anyio

TLS_ALERT = bytes.fromhex("15 0303 0002 02 46")  # protocol_version


async def _problem_with_one_that_says(*answer: bytes) -> str | None:
    """What is found of a server that answers so, and then hangs up; with nothing it does not."""
    ours, theirs = memory_stream_pair()

    async def serve() -> None:
        assert await theirs.receive_some() == bytes.fromhex("0000000a 0012 0000 00000000 ffff")
        for part in answer:
            await theirs.send_all(part)
            await theirs.aclose()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        return await problem_with(ours)


async def test_a_kafka_has_no_problem() -> None:
    """Whatever it answers: even a refusal is a frame."""
    assert await _problem_with_one_that_says(b"\0\0\0\6\0\0\0\0\0\x23") is None


@pytest.mark.parametrize("answer", [TLS_ALERT, b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
async def test_what_is_no_kafka_is_told(answer: bytes) -> None:
    """A listener with TLS, one that hangs up, and a web server."""
    assert await _problem_with_one_that_says(answer) == (
        "it does not answer as Kafka; give a listener without TLS"
    )


async def test_one_that_never_answers_is_told() -> None:
    """After ten seconds."""
    began = trio.current_time()
    assert await _problem_with_one_that_says() == (
        "it takes connections, but has not answered within 10 s"
    )
    assert trio.current_time() - began == pytest.approx(10)


async def test_nobody_is_told() -> None:
    """A port that nobody listens at."""
    assert await problem_of(Address("127.0.0.1", 1)) == "nobody answers there"
