"""Long computations in worker threads: `broker.steps.offload`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from math import inf

import pytest
import trio
import trio.testing

from broker.steps.offload import (
    SWITCH_INTERVAL_S,
    THREADS_MAX,
    THREADS_USUAL,
    Inline,
    Job,
    Outcome,
    ShortSwitchInterval,
    WorkerThreads,
)

# In real time: a virtual clock would jump while a thread works.
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "trio"


def fail() -> int:
    raise ValueError("no such record")


async def outcome_of(workers: WorkerThreads, work: Callable[[], int]) -> Outcome[int]:
    """Run *work* and wait for its outcome."""
    send, receive = trio.open_memory_channel[Outcome[int]](1)
    workers.run(work, send.send_nowait)
    return await receive.receive()


async def test_a_computation_runs_in_a_thread_and_its_callback_on_the_loop() -> None:
    """The callback may use the state of the loop."""
    workers, started = WorkerThreads(), trio.Event()
    threads: list[int] = []

    def then(outcome: Outcome[int]) -> None:
        threads.extend((outcome.result(), threading.get_ident()))
        started.set()

    async with trio.open_nursery() as nursery:
        await nursery.start(workers.serve)
        job = workers.run(threading.get_ident, then)
        assert job.is_pending
        await started.wait()
        nursery.cancel_scope.cancel()

    worker, loop = threads
    assert worker != loop == threading.get_ident()
    assert not job.is_pending


async def test_an_exception_is_raised_where_the_outcome_is_used() -> None:
    """The threads continue."""
    workers = WorkerThreads()
    async with trio.open_nursery() as nursery:
        await nursery.start(workers.serve)
        failed = await outcome_of(workers, fail)
        with pytest.raises(ValueError, match="no such record"):
            failed.result()
        assert (await outcome_of(workers, lambda: 7)).result() == 7
        nursery.cancel_scope.cancel()


async def test_computations_are_limited_to_the_number_of_threads() -> None:
    """The others wait, in the order of the calls."""
    workers, release = WorkerThreads(patience_s=inf), threading.Event()
    begun: list[int] = []
    ended: list[int] = []

    def job(number: int) -> Callable[[], int]:
        def work() -> int:
            begun.append(number)
            release.wait()
            return number

        return work

    async with trio.open_nursery() as nursery:
        await nursery.start(workers.serve)
        for number in range(5):
            workers.run(job(number), lambda outcome: ended.append(outcome.result()))
        while len(begun) < THREADS_USUAL:
            await trio.lowlevel.checkpoint()
        assert len(begun) == THREADS_USUAL
        release.set()
        while len(ended) < 5:
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()

    assert sorted(begun) == sorted(ended) == [0, 1, 2, 3, 4]


async def test_a_computation_that_has_waited_behind_longer_ones_gets_a_thread() -> None:
    """Others end before them; the number of threads is limited."""
    workers, release = WorkerThreads(patience_s=0), threading.Event()
    begun: list[int] = []

    def work() -> None:
        begun.append(1)
        release.wait()

    async with trio.open_nursery() as nursery:
        await nursery.start(workers.serve)
        for _ in range(THREADS_MAX - 1):
            workers.run(work, lambda _: None)
        assert (await outcome_of(workers, lambda: 7)).result() == 7
        for _ in range(3):
            workers.run(work, lambda _: None)
        while len(begun) < THREADS_MAX:
            await trio.lowlevel.checkpoint()
        assert len(begun) == THREADS_MAX
        release.set()
        nursery.cancel_scope.cancel()


async def test_an_abandoned_computation_has_no_outcome() -> None:
    """One that has not begun never begins."""
    workers, release = WorkerThreads(patience_s=inf), threading.Event()
    outcomes: list[object] = []
    begun: list[int] = []

    def work() -> None:
        begun.append(threading.get_ident())
        release.wait()

    async with trio.open_nursery() as nursery:
        await nursery.start(workers.serve)
        jobs = [workers.run(work, outcomes.append) for _ in range(THREADS_USUAL + 1)]
        while len(begun) < THREADS_USUAL:
            await trio.lowlevel.checkpoint()
        for job in jobs:
            job.abandon()
        release.set()
        (await outcome_of(workers, lambda: 1)).result()
        nursery.cancel_scope.cancel()

    assert outcomes == []
    assert len(begun) == THREADS_USUAL


async def test_the_end_does_not_wait_for_a_computation() -> None:
    """The thread ends on its own, and its outcome is dropped."""
    usual_s = sys.getswitchinterval()
    workers, release = WorkerThreads(patience_s=inf), threading.Event()
    outcomes: list[object] = []
    async with trio.open_nursery() as nursery:
        await nursery.start(workers.serve)
        workers.run(release.wait, outcomes.append)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    release.set()
    while sys.getswitchinterval() != usual_s:  # until the thread has ended, for the next test
        await trio.lowlevel.checkpoint()

    assert outcomes == []


def test_the_switch_interval_is_short_while_a_thread_computes() -> None:
    """It is restored after the last one, whether it returned or raised."""
    usual_s = sys.getswitchinterval()
    turns = ShortSwitchInterval()
    inner = turns.run(lambda: turns.run(sys.getswitchinterval))
    outer = turns.run(lambda: (turns.run(int), sys.getswitchinterval())[1])
    with pytest.raises(ValueError, match="no such record"):
        turns.run(fail)

    assert inner == outer == pytest.approx(SWITCH_INTERVAL_S)
    assert sys.getswitchinterval() == usual_s


def test_an_inline_computation_runs_immediately() -> None:
    """For tools, and for tests in virtual time."""
    outcomes: list[int] = []
    job = Inline().run(lambda: 3, lambda outcome: outcomes.append(outcome.result()))

    assert outcomes == [3]
    assert not job.is_pending


def test_an_outcome_is_delivered_once() -> None:
    """And not after the job was abandoned."""
    outcomes: list[object] = []
    job = Job(lambda: 3, outcomes.append)
    outcome = job.compute()
    job.abandon()
    job.finish(outcome)

    assert outcomes == []
    assert job.compute() is None
