"""What the broker installs in trio's loop."""

from __future__ import annotations

import sys

import pytest
import trio

from broker.steps.measured_loop import measured_loop
from broker.steps.queue import StepQueue
from broker.steps.stalls import Stalls

pytestmark = pytest.mark.anyio


async def test_the_watchdog_is_installed_in_the_context() -> None:
    """A step over budget is reported in it, and not after it."""
    ms, stalls = [0.0], Stalls(int)

    async def step() -> None:
        await trio.lowlevel.checkpoint()
        ms[0] += 100
        await trio.lowlevel.checkpoint()

    with measured_loop(StepQueue(lambda: ms[0]), stalls, lambda: ms[0]):
        await step()
    await step()

    assert stalls.count == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no epoll")
async def test_virtual_time_has_no_idle_loop() -> None:
    """It advances only while all tasks wait in the loop."""
    from broker.steps.idle_loop import present_idle_loop

    with measured_loop(StepQueue(lambda: 0.0), Stalls(int), lambda: 0.0):
        assert present_idle_loop() is None
