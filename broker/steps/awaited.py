"""Long work whose result a task waits for."""

from __future__ import annotations

from typing import TypeVar

import trio

from broker.steps.offload import Outcome
from broker.steps.queue import Slices, StepQueue

Result = TypeVar("Result")


async def result_of(slices: Slices[Result], steps: StepQueue) -> Result:
    """Run *slices* in the queue; returns their result or raises their exception.

    They are closed if the task is cancelled.
    """
    outcome: Outcome[Result] = Outcome()
    ended = trio.Event()

    def work() -> Slices[None]:
        nonlocal outcome
        try:
            outcome = Outcome((yield from slices))
        except Exception as error:
            outcome = Outcome(error=error)
        ended.set()

    job = steps.start(work())
    try:
        await ended.wait()
    finally:
        if job is not None:
            job.cancel()
    return outcome.result()
