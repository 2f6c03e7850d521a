"""A first look at the upstream: whether it is there, and speaks Kafka's protocol in plain bytes."""

from __future__ import annotations

from contextlib import aclosing

import trio

from protocol.codec import Malformed
from protocol.headers import encode_request
from protocol.messages.api_versions import ApiVersionsRequest
from recorder.addresses import Address
from recorder.relay import frames

ANSWER_WITHIN_S = 10.0
# The question that everybody may ask, also where others need SASL.
_QUESTION = encode_request(ApiVersionsRequest(), 0, 0, None)


async def problem_of(upstream: Address) -> str | None:
    """What is wrong with *upstream*, in a few words; None if it answers as a Kafka does."""
    try:
        with trio.fail_after(ANSWER_WITHIN_S):
            stream = await trio.open_tcp_stream(*upstream)
    except (OSError, trio.TooSlowError):
        return "nobody answers there"
    return await problem_with(stream)


async def problem_with(stream: trio.abc.Stream) -> str | None:
    """The same of one that has taken a connection, which is closed."""
    async with stream:
        try:
            with trio.fail_after(ANSWER_WITHIN_S):
                await stream.send_all(_QUESTION)
                async with aclosing(frames(stream)) as answers:
                    async for _ in answers:
                        return None
        except trio.TooSlowError:
            return f"it takes connections, but has not answered within {ANSWER_WITHIN_S:.0f} s"
        except (Malformed, trio.BrokenResourceError):
            pass
    return "it does not answer as Kafka; give a listener without TLS"
