"""Waits for conditions by polling, with a time limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

POLL_SECONDS = 0.005


class DeadlineError(AssertionError):
    """A condition did not hold in time."""


def eventually(poll: Callable[[], T], what: str, *, within: float = 10.0) -> T:
    """Poll until the result is true, and return it; `what` names the condition in the error."""
    deadline = time.monotonic() + within
    while True:
        response = poll()
        if response:
            return response
        if time.monotonic() > deadline:
            raise DeadlineError(f"not within {within} s: {what} (last result: {response!r})")
        time.sleep(POLL_SECONDS)


async def eventually_async(
    poll: Callable[[], Awaitable[T]], what: str, *, within: float = 10.0
) -> T:
    """The same as `eventually`, for asyncio clients."""
    deadline = time.monotonic() + within
    while not (response := await poll()):
        if time.monotonic() > deadline:
            raise DeadlineError(f"not within {within} s: {what} (last result: {response!r})")
        await asyncio.sleep(POLL_SECONDS)
    return response
