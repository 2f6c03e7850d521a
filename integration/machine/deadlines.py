"""Waits for conditions by polling, with a time limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

POLL_SECONDS = 0.005
WITHIN_SECONDS = 60.0  # on a busy machine, too
# A child process that must end by itself; some load Spark or Java beside many others.
ENDS_WITHIN_S = 300


class DeadlineError(AssertionError):
    """A condition did not hold in time."""


def eventually(poll: Callable[[], T], what: str, *, within: float = WITHIN_SECONDS) -> T:
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
    poll: Callable[[], Awaitable[T]], what: str, *, within: float = WITHIN_SECONDS
) -> T:
    """The same as `eventually`, for asyncio clients."""
    deadline = time.monotonic() + within
    while not (response := await poll()):
        if time.monotonic() > deadline:
            raise DeadlineError(f"not within {within} s: {what} (last result: {response!r})")
        await asyncio.sleep(POLL_SECONDS)
    return response


def call_within(call: Callable[[], T], within: float) -> T:
    """Call a function that may never return; raises `DeadlineError` after *within* seconds.

    The call then continues in a thread that does not keep the process alive.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except Exception as error:
            outcome.set_exception(error)

    Thread(target=run, daemon=True).start()
    try:
        return outcome.result(within)
    except TimeoutError as error:
        if outcome.done():
            raise
        raise DeadlineError(f"no result within {within} s") from error
