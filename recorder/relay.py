"""Forwards the frames of one connection in both directions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress

import trio

from protocol.codec import Malformed
from recorder.exchange import DISCONNECT, SHUTDOWN, UNKNOWN, Exchange, Record

FRAME_BYTES_MAX = 256 * 1024 * 1024
_LENGTH_BYTES = 4

_CLOSED = (trio.BrokenResourceError, trio.ClosedResourceError)


async def relay(
    client: trio.abc.Stream,
    node: trio.abc.Stream,
    exchange: Exchange,
    keep: Callable[[Record], None],
    now_us: Callable[[], int],
) -> None:
    """Forward frames until either side closes; keeps a record of every request.

    The record says whether the request got a response or the connection ended first.
    """
    end = SHUTDOWN  # unless another end is detected

    async def requests() -> None:
        async with aclosing(frames(client)) as received:
            async for frame in received:
                record = exchange.request(frame, now_us())
                await node.send_all(_with_length(frame))
                if record is not None:
                    keep(record)

    async def responses() -> None:
        async with aclosing(frames(node)) as received:
            async for frame in received:
                forwarded, record_of = exchange.response(frame, now_us())
                try:
                    await client.send_all(_with_length(forwarded))
                finally:
                    record = record_of(now_us())
                    if record is not None:
                        keep(record)

    async def forward(
        direction: Callable[[], Awaitable[None]], cause: str, connection: trio.CancelScope
    ) -> None:
        nonlocal end
        # Bytes that are not frames close the connection; a peer that has closed it is no error.
        with suppress(Malformed, *_CLOSED):
            await direction()
        end = cause
        connection.cancel()

    try:
        async with client, node, trio.open_nursery() as nursery:
            nursery.start_soon(forward, requests, DISCONNECT, nursery.cancel_scope)
            nursery.start_soon(forward, responses, UNKNOWN, nursery.cancel_scope)
    finally:
        abandoned = exchange.abandoned(now_us(), end)
        if abandoned is not None:
            keep(abandoned)


async def frames(stream: trio.abc.ReceiveStream) -> AsyncGenerator[bytes, None]:
    """Yield each complete frame of *stream*, without its length; raises `Malformed`."""
    pending = bytearray()
    async for received in stream:
        pending += received
        start = 0
        while len(pending) - start >= _LENGTH_BYTES:
            size = int.from_bytes(pending[start : start + _LENGTH_BYTES], "big", signed=True)
            if not 0 <= size <= FRAME_BYTES_MAX:
                raise Malformed(f"a frame of {size} bytes; the maximum is {FRAME_BYTES_MAX}")
            end = start + _LENGTH_BYTES + size
            if end > len(pending):
                break
            yield bytes(pending[start + _LENGTH_BYTES : end])
            start = end
        del pending[:start]


def _with_length(frame: bytes) -> bytes:
    return len(frame).to_bytes(_LENGTH_BYTES, "big") + frame
