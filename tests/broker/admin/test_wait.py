"""Waiting until the broker is in some state."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from broker.admin.conditions import Parked
from broker.admin.facts import JsonObject, RequestQuery
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
    timer = SystemTimer("admin", now_ms=TrioClock(0).now_ms)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, timer)
        yield timer
        nursery.cancel_scope.cancel()


async def test_what_is_so_is_answered_at_once() -> None:
    """Nothing is waited for, and no timer is left."""
    facts = FakeFacts()
    facts.parked = [parked_produce()]
    async with running_timer() as timer:
        assert await wait_until(A_PRODUCE, facts, timer, 0) == {"requests": facts.parked}
        assert timer.size == 0


async def test_a_change_is_looked_at() -> None:
    """One that does not help is waited over, one that does ends the wait at that moment."""
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


async def test_time_runs_out_with_a_line() -> None:
    """It says what lacks, and what there is instead; 408 is the status."""
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


async def test_no_time_at_all_is_one_look() -> None:
    """timeout_ms=0 asks whether it is so."""
    async with running_timer() as timer:
        with pytest.raises(HttpError):
            await wait_until(A_PRODUCE, FakeFacts(), timer, 0)


async def test_who_stops_waiting_takes_its_timer_along() -> None:
    """A client that hangs up leaves nothing."""
    async with running_timer() as timer:
        with trio.move_on_after(1):
            await wait_until(A_PRODUCE, FakeFacts(), timer, 5000)
        assert timer.size == 0
