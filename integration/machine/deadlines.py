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


def eventually(ask: Callable[[], T], what: str, *, within: float = 10.0) -> T:
    """Poll until the result is true, and return it; `what` names the condition in the error."""
    deadline = time.monotonic() + within
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise DeadlineError(f"not within {within} s: {what} (last result: {answer!r})")
        time.sleep(POLL_SECONDS)


async def eventually_async(
    ask: Callable[[], Awaitable[T]], what: str, *, within: float = 10.0
) -> T:
    """The same as `eventually`, for asyncio clients."""
    deadline = time.monotonic() + within
    while not (answer := await ask()):
        if time.monotonic() > deadline:
            raise DeadlineError(f"not within {within} s: {what} (last result: {answer!r})")
        await asyncio.sleep(POLL_SECONDS)
    return answer
