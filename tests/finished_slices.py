"""Slices that are left are run without a cluster."""

from __future__ import annotations

import trio
import trio.testing

from broker.steps.queue import StepQueue


def finish_slices(steps: StepQueue) -> None:
    """Run the slices in the queue, and those that they add."""

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(steps.run)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()

    trio.run(run)
