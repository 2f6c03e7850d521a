"""Checks at startup that the upstream is reachable and speaks Kafka's protocol without TLS.

With SASL the broker responds to ApiVersions before authentication, and closes the connection on
most other requests.
"""

from __future__ import annotations

from contextlib import aclosing, suppress

import trio

from protocol.codec import Malformed
from protocol.headers import encode_request
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest
from recorder.addresses import Address
from recorder.relay import frames

TIMEOUT_S = 10.0
_UNAUTHENTICATED = encode_request(ApiVersionsRequest(), 0, 0, None)
_AUTHENTICATED = encode_request(MetadataRequest(topics=[]), 1, 1, None)


async def problem_of(upstream: Address) -> str | None:
    """Describe what is wrong with *upstream*; None if it responds as Kafka does."""
    try:
        with trio.fail_after(TIMEOUT_S):
            stream = await trio.open_tcp_stream(*upstream)
    except (OSError, trio.TooSlowError):
        return "cannot connect; start a Kafka there, or give another HOST:PORT"
    async with stream:
        try:
            with trio.fail_after(TIMEOUT_S):
                is_kafka = await responds(stream, _UNAUTHENTICATED)
        except trio.TooSlowError:
            return f"it accepts connections, but has not responded within {TIMEOUT_S:.0f} s"
    return None if is_kafka else "it does not respond as Kafka; use a listener without TLS"


async def wants_sasl(upstream: Address) -> bool:
    """Whether the upstream requires SASL authentication; raises `OSError`."""
    async with await trio.open_tcp_stream(*upstream) as stream:
        with trio.move_on_after(TIMEOUT_S):
            return not await responds(stream, _AUTHENTICATED)
    return False


async def responds(stream: trio.abc.Stream, request: bytes) -> bool:
    """Whether a response frame arrives, rather than other bytes or the end of the stream."""
    with suppress(Malformed, trio.BrokenResourceError):
        await stream.send_all(request)
        async with aclosing(frames(stream)) as whole:
            async for _ in whole:
                return True
    return False
