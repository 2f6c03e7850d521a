"""A first look at the upstream: whether it is there, and speaks Kafka's protocol in plain bytes.

Where clients must say who they are (SASL), ApiVersions is answered all the same, and whatever else
comes first ends the connection.
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

ANSWER_WITHIN_S = 10.0
_BY_ANYBODY = encode_request(ApiVersionsRequest(), 0, 0, None)
_BY_THOSE_KNOWN = encode_request(MetadataRequest(topics=[]), 1, 1, None)


async def problem_of(upstream: Address) -> str | None:
    """What is wrong with *upstream*, in a few words; None if it answers as a Kafka does."""
    try:
        with trio.fail_after(ANSWER_WITHIN_S):
            stream = await trio.open_tcp_stream(*upstream)
    except (OSError, trio.TooSlowError):
        return "nobody answers there"
    async with stream:
        try:
            with trio.fail_after(ANSWER_WITHIN_S):
                answered = await answers(stream, _BY_ANYBODY)
        except trio.TooSlowError:
            return f"it takes connections, but has not answered within {ANSWER_WITHIN_S:.0f} s"
    return None if answered else "it does not answer as Kafka; give a listener without TLS"


async def wants_sasl(upstream: Address) -> bool:
    """Whether a Kafka asks its clients who they are; raises `OSError`."""
    async with await trio.open_tcp_stream(*upstream) as stream:
        with trio.move_on_after(ANSWER_WITHIN_S):
            return not await answers(stream, _BY_THOSE_KNOWN)
    return False


async def answers(stream: trio.abc.Stream, question: bytes) -> bool:
    """Whether a frame comes back; instead it may be other bytes, or the end."""
    with suppress(Malformed, trio.BrokenResourceError):
        await stream.send_all(question)
        async with aclosing(frames(stream)) as whole:
            async for _ in whole:
                return True
    return False
