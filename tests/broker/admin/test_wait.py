"""Waiting for a condition."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from broker.admin.conditions.parked import Parked
from broker.admin.facts.facts import RequestQuery
from broker.admin.facts.json_object import JsonObject
from broker.admin.http import HttpError
from broker.admin.wait import wait_until
from broker.common.clock import TrioClock
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper
from tests.facts import FakeFacts, parked_fetch, parked_produce

pytestmark = pytest.mark.anyio

A_PRODUCE = Parked(RequestQuery(parked=True, api="Produce", limit=1))


@asynccontextmanager
async def running_timer() -> AsyncIterator[SystemTimer]:
    """A timer with a reaper."""
    timer = SystemTimer("admin", now_ms=TrioClock(0).now_ms)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, timer)
        yield timer
        nursery.cancel_scope.cancel()


async def test_a_condition_that_holds_returns_at_once() -> None:
    """No task remains in the timer."""
    facts = FakeFacts()
    facts.parked = [parked_produce()]
    async with running_timer() as timer:
        assert await wait_until(A_PRODUCE, facts, timer, 0) == {"requests": facts.parked}
        assert timer.size == 0


async def test_each_change_is_followed_by_a_check() -> None:
    """The wait continues after a change that does not fulfil the condition."""
    facts = FakeFacts()
    found: list[JsonObject] = []

    async def wait(timer: SystemTimer) -> None:
        found.append(await wait_until(A_PRODUCE, facts, timer, 5000))

    async with running_timer() as timer, trio.open_nursery() as nursery:
        started = trio.current_time()
        nursery.start_soon(wait, timer)
        await trio.sleep(1)
        facts.parked = [parked_fetch()]
        facts.changes.notify()
        await trio.sleep(1)
        assert found == []
        facts.parked.append(parked_produce())
        facts.changes.notify()
        await wait_all_tasks_blocked()
        assert found == [{"requests": [facts.parked[1]]}]
        assert trio.current_time() - started == 2
        assert timer.size == 0


async def test_a_timeout_reports_what_is_missing() -> None:
    """The status is 408, and the message has what exists instead."""
    facts = FakeFacts()
    facts.parked = [parked_fetch()]
    async with running_timer() as timer:
        started = trio.current_time()
        with pytest.raises(HttpError) as caught:
            await wait_until(A_PRODUCE, facts, timer, 3000)
        assert trio.current_time() - started == pytest.approx(3)

    assert caught.value.status == 408
    assert caught.value.message == (
        "not within 3000 ms: 0 of 1 parked Produce; "
        "there is: Fetch on orders-0, orders-1 from client consumer-1"
    )


async def test_without_time_there_is_one_check() -> None:
    """With ``timeout_ms=0`` the response says whether the condition holds."""
    async with running_timer() as timer:
        with pytest.raises(HttpError):
            await wait_until(A_PRODUCE, FakeFacts(), timer, 0)


async def test_a_cancelled_wait_leaves_no_task_in_the_timer() -> None:
    """A client has disconnected."""
    async with running_timer() as timer:
        with trio.move_on_after(1):
            await wait_until(A_PRODUCE, FakeFacts(), timer, 5000)
        assert timer.size == 0
