"""Waits of the one task that has something to do, without a pass of trio's loop."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trio
import trio.testing

from broker.steps.limits import STEP_BUDGET_MS
from broker.steps.measured_loop import measured_loop
from broker.steps.queue import StepQueue
from broker.steps.stalls import Stalls

if sys.platform != "linux":
    pytest.skip("other systems have no epoll", allow_module_level=True)

from broker.steps.idle_loop import LoopDescriptors, epoll_of_trio, present_idle_loop

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("anyio_backend", ["trio"]),
]


class Passes(trio.abc.Instrument):
    """Counts the passes of the loop."""

    def __init__(self) -> None:
        self.count = 0

    def before_io_wait(self, timeout: float) -> None:
        self.count += 1


class Waiting:
    """A task that waits for a descriptor in an idle loop, as a poller does."""

    def __init__(self) -> None:
        self.ms = 0.0
        self.stalls = Stalls(int)
        self.steps = StepQueue(self.now_ms)
        self.passes = Passes()
        self.descriptor = os.eventfd(0, os.EFD_NONBLOCK)
        self.descriptors: LoopDescriptors

    def now_ms(self) -> float:
        return self.ms

    @contextmanager
    def running(self) -> Iterator[None]:
        """The loop is measured, and its passes are counted."""
        with measured_loop(self.steps, self.stalls, self.now_ms):
            idle_loop = present_idle_loop()
            assert idle_loop is not None
            self.descriptors = LoopDescriptors(self.descriptor, idle_loop.descriptor)
            trio.lowlevel.add_instrument(self.passes)
            yield
            trio.lowlevel.remove_instrument(self.passes)
            self.descriptors.close()
        os.close(self.descriptor)

    async def begin(self) -> None:
        """Continue after a pass that has run this task only; the descriptor is not ready."""
        self.set()
        await trio.lowlevel.wait_readable(self.descriptor)
        os.eventfd_read(self.descriptor)
        self.passes.count = 0

    def set(self) -> None:
        """Make the descriptor ready."""
        os.eventfd_write(self.descriptor, 1)

    def wait_after_long_step(self) -> bool:
        """Wait at the end of a step over budget; the descriptor is ready."""
        self.ms += STEP_BUDGET_MS + 1
        self.set()
        return self.wait()

    def wait(self) -> bool:
        idle_loop = present_idle_loop()
        assert idle_loop is not None
        return idle_loop.wait(self.descriptors)

    def is_alone(self) -> bool:
        idle_loop = present_idle_loop()
        assert idle_loop is not None
        return idle_loop.is_alone(self.descriptors)


async def test_a_ready_descriptor_ends_the_wait_without_a_pass(anyio_backend: str) -> None:
    """As often as it becomes ready."""
    waiting = Waiting()
    with waiting.running():
        await waiting.begin()
        for _ in range(3):
            waiting.set()
            assert waiting.wait()
            os.eventfd_read(waiting.descriptor)

        assert waiting.passes.count == 0


async def test_a_runnable_task_lets_trio_run(anyio_backend: str) -> None:
    """It has become runnable in the step of the waiting task."""
    waiting, event = Waiting(), trio.Event()
    async with trio.open_nursery() as nursery:
        with waiting.running():
            nursery.start_soon(event.wait)
            await trio.testing.wait_all_tasks_blocked()
            await waiting.begin()

            event.set()
            waiting.set()

            assert not waiting.wait()


async def test_a_descriptor_of_another_task_lets_trio_run(anyio_backend: str) -> None:
    """The task waits for it in trio's epoll object."""
    waiting, reads = Waiting(), os.eventfd(0, os.EFD_NONBLOCK)
    async with trio.open_nursery() as nursery:
        with waiting.running():
            nursery.start_soon(trio.lowlevel.wait_readable, reads)
            await trio.testing.wait_all_tasks_blocked()
            await waiting.begin()

            os.eventfd_write(reads, 1)
            waiting.set()

            assert not waiting.wait()
    os.close(reads)


async def test_a_call_in_the_loop_lets_trio_run(anyio_backend: str) -> None:
    """Other threads and signals make such calls."""
    waiting, token = Waiting(), trio.lowlevel.current_trio_token()
    with waiting.running():
        await waiting.begin()

        token.run_sync_soon(lambda: None)

        assert not waiting.wait()


async def _sleep_repeatedly() -> None:
    """Have a deadline at any time, however slowly the test runs."""
    while True:  # noqa: ASYNC110 - its deadlines are what the test needs
        await trio.sleep(0.001)


async def test_a_wait_ends_with_the_next_deadline(anyio_backend: str) -> None:
    """It is that of another task."""
    waiting = Waiting()
    async with trio.open_nursery() as nursery:
        with waiting.running():
            nursery.start_soon(_sleep_repeatedly)
            await trio.testing.wait_all_tasks_blocked()
            await waiting.begin()
            assert not waiting.wait()
            nursery.cancel_scope.cancel()


async def test_a_pass_with_several_tasks_lets_trio_run(anyio_backend: str) -> None:
    """Others of them may run after the waiting task, or have set deadlines."""
    waiting, event = Waiting(), trio.Event()
    async with trio.open_nursery() as nursery:
        with waiting.running():
            nursery.start_soon(event.wait)
            await trio.testing.wait_all_tasks_blocked()
            event.set()
            await trio.lowlevel.checkpoint()
            waiting.set()
            assert not waiting.wait()


async def test_a_wait_ends_a_step(anyio_backend: str) -> None:
    """The watchdog reports the work before it, and not the wait."""
    waiting = Waiting()
    with waiting.running():
        await waiting.begin()

        assert waiting.wait_after_long_step()

        assert (waiting.stalls.count, waiting.stalls.longest_ms) == (1, STEP_BUDGET_MS + 1)


async def test_the_passes_after_a_step_over_budget_are_trios(anyio_backend: str) -> None:
    """They determine which requests have waited for the step."""
    waiting = Waiting()
    with waiting.running():
        await waiting.begin()
        assert waiting.wait_after_long_step()

        assert not waiting.wait()


@pytest.mark.parametrize("is_ready", [False, True])
async def test_a_task_is_alone_while_no_other_has_to_run(
    anyio_backend: str, is_ready: bool
) -> None:
    """Whether or not its own descriptor is ready, and without a pass of the loop."""
    waiting = Waiting()
    with waiting.running():
        await waiting.begin()
        if is_ready:
            waiting.set()

        assert waiting.is_alone()
        assert waiting.passes.count == 0


async def test_a_task_is_not_alone_after_it_has_woken_another(anyio_backend: str) -> None:
    """The other one is runnable."""
    waiting, event = Waiting(), trio.Event()
    async with trio.open_nursery() as nursery:
        with waiting.running():
            nursery.start_soon(event.wait)
            await trio.testing.wait_all_tasks_blocked()
            await waiting.begin()

            event.set()

            assert not waiting.is_alone()


async def test_a_task_is_not_alone_if_a_descriptor_of_another_is_ready(anyio_backend: str) -> None:
    """The other task waits for it in trio's epoll object."""
    waiting, reads = Waiting(), os.eventfd(0, os.EFD_NONBLOCK)
    async with trio.open_nursery() as nursery:
        with waiting.running():
            nursery.start_soon(trio.lowlevel.wait_readable, reads)
            await trio.testing.wait_all_tasks_blocked()
            await waiting.begin()

            os.eventfd_write(reads, 1)

            assert not waiting.is_alone()
    os.close(reads)


async def test_a_task_is_not_alone_after_the_deadline_of_another(anyio_backend: str) -> None:
    """The other task has to run, although no descriptor is ready."""
    waiting = Waiting()
    async with trio.open_nursery() as nursery:
        with waiting.running():
            nursery.start_soon(_sleep_repeatedly)
            await trio.testing.wait_all_tasks_blocked()
            await waiting.begin()
            assert not waiting.wait()  # it ends with the deadline

            assert not waiting.is_alone()
            nursery.cancel_scope.cancel()


async def test_the_question_whether_a_task_is_alone_ends_a_step(anyio_backend: str) -> None:
    """The watchdog measures the next step from there."""
    waiting = Waiting()
    with waiting.running():
        await waiting.begin()
        waiting.ms += STEP_BUDGET_MS / 2
        assert waiting.is_alone()
        waiting.ms += STEP_BUDGET_MS / 2 + 1

        assert waiting.is_alone()

        assert waiting.stalls.count == 0


async def test_the_installed_trio_has_the_epoll_object(anyio_backend: str) -> None:
    """Otherwise each wait takes a pass of the loop."""
    assert epoll_of_trio() is not None
