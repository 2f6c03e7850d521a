"""Waiting in one place: ask until it is so, or fail with what was seen last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

POLL_SECONDS = 0.005


class DeadlineError(AssertionError):
    """What was waited for did not come in time."""


def eventually(ask: Callable[[], T], what: str, *, within: float = 10.0) -> T:
    """Ask until the answer is true, and return it; `what` names the wish in the failure."""
    deadline = time.monotonic() + within
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise DeadlineError(f"not within {within} s: {what} (last answer: {answer!r})")
        time.sleep(POLL_SECONDS)


async def eventually_async(
    ask: Callable[[], Awaitable[T]], what: str, *, within: float = 10.0
) -> T:
    """Do as `eventually` does, for an asyncio client."""
    deadline = time.monotonic() + within
    while not (answer := await ask()):
        if time.monotonic() > deadline:
            raise DeadlineError(f"not within {within} s: {what} (last answer: {answer!r})")
        await asyncio.sleep(POLL_SECONDS)
    return answer
