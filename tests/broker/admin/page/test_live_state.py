"""The state that all live pages show."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from broker.admin.facts.live_part import LivePart
from broker.admin.page.live_state import INTERVAL_MS, KEEP_ALIVE_MS, LiveState
from broker.common.clock import TrioClock
from broker.common.state_changes import StateChanges
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper

pytestmark = pytest.mark.anyio


class Source:
    """The rows of one part, and how often they were read."""

    def __init__(self) -> None:
        self.changes = StateChanges()
        self.rows: list[dict[str, Any]] = [{"n": 1}]
        self.reads = 0

    def part(self) -> LivePart:
        """The part with all rows."""
        self.reads += 1
        return LivePart(len(self.rows), iter(self.rows))


@asynccontextmanager
async def live(source: Source) -> AsyncIterator[LiveState]:
    """The state of *source*, with a timer in virtual time."""
    timer = SystemTimer("admin", now_ms=TrioClock(0).now_ms)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, timer)
        yield LiveState({"things": source.part}, source.changes, timer)
        nursery.cancel_scope.cancel()


async def follow(state: LiveState, numbers: list[int]) -> None:
    """Add the number of each new state."""
    number = state.request()
    while True:
        await state.newer(number)
        number = state.number
        numbers.append(number)


async def test_a_part_is_a_server_sent_event() -> None:
    """One line of JSON, with escapes in names that a client chose."""
    source = Source()
    source.rows = [{"name": "a\nb\u202e"}]
    async with live(source) as state:
        await state.newer(state.request())

    assert state.events == {
        "things": b'event: things\ndata: {"count":1,"rows":[{"name":"a\\\\nb\\\\u202e"}]}\n\n'
    }


async def test_nothing_is_read_without_a_page() -> None:
    """A change wakes nobody."""
    source = Source()
    async with live(source):
        source.changes.notify()
        await trio.sleep(60)

    assert source.reads == 0


async def test_changes_that_follow_quickly_are_combined() -> None:
    """There is one state in an interval, and the last change is in a state."""
    source, numbers = Source(), list[int]()
    async with live(source) as state, trio.open_nursery() as nursery:
        nursery.start_soon(follow, state, numbers)
        await wait_all_tasks_blocked()
        for n in range(10):
            source.rows = [{"n": n}]
            source.changes.notify()
            await trio.sleep(INTERVAL_MS / 10_000)
        await trio.sleep(2 * INTERVAL_MS / 1000)
        nursery.cancel_scope.cancel()

    assert numbers == [1, 2]
    assert b'"n":9' in state.events["things"]


async def test_a_change_while_no_page_waits_is_not_lost() -> None:
    """A page reads the state before, while something changes."""
    source = Source()
    async with live(source) as state:
        await state.newer(state.request())
        source.rows = [{"n": 2}]
        source.changes.notify()

        with trio.fail_after(1):
            await state.newer(1)

    assert b'"n":2' in state.events["things"]


async def test_pages_share_a_state() -> None:
    """The rows are read once for all of them."""
    source, first, second = Source(), list[int](), list[int]()
    async with live(source) as state, trio.open_nursery() as nursery:
        nursery.start_soon(follow, state, first)
        nursery.start_soon(follow, state, second)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert first == second == [1]
    assert source.reads == 1


async def test_a_new_page_gets_a_new_state() -> None:
    """Not the one from before, whose times are old."""
    source, numbers = Source(), list[int]()
    async with live(source) as state, trio.open_nursery() as nursery:
        nursery.start_soon(follow, state, [])
        await trio.sleep(1)
        nursery.start_soon(follow, state, numbers)
        await trio.sleep(1)
        nursery.cancel_scope.cancel()

    assert numbers == [2]


async def test_a_closed_page_does_not_end_the_others() -> None:
    """Another one makes the next state."""
    source, numbers = Source(), list[int]()
    async with live(source) as state, trio.open_nursery() as nursery:
        closed = trio.CancelScope()

        async def follow_until_closed() -> None:
            with closed:
                await follow(state, [])

        nursery.start_soon(follow_until_closed)
        await wait_all_tasks_blocked()
        nursery.start_soon(follow, state, numbers)
        await trio.sleep(1)
        closed.cancel()
        source.changes.notify()
        await trio.sleep(1)
        nursery.cancel_scope.cancel()

    assert numbers == [2, 3]


async def test_a_state_is_made_without_a_change_as_well() -> None:
    """Times are a part of it; without a page the timer has no task."""
    source, numbers = Source(), list[int]()
    async with live(source) as state, trio.open_nursery() as nursery:
        nursery.start_soon(follow, state, numbers)
        await trio.sleep(2.5 * KEEP_ALIVE_MS / 1000)
        nursery.cancel_scope.cancel()

    assert numbers == [1, 2, 3]


async def test_a_part_that_has_not_changed_is_the_same_object() -> None:
    """So that it is not sent again."""
    source = Source()
    async with live(source) as state:
        await state.newer(state.request())
        before = state.events["things"]
        await state.newer(state.request())

    assert state.number == 2
    assert state.events["things"] is before


async def test_other_tasks_run_while_a_state_is_made() -> None:
    """Rows that take long are made in slices; a pass of the loop makes at most one of them."""
    passes, passed = 0, list[int]()

    def row(number: int) -> dict[str, int]:
        passed.append(passes)
        return {"number": number}

    def slow_rows() -> LivePart:
        return LivePart(5, map(row, range(5)))

    async def count_passes() -> None:
        nonlocal passes
        while True:
            passes += 1
            await trio.lowlevel.checkpoint()

    times_ms = count(0.0, 10.0)
    timer = SystemTimer("admin", now_ms=lambda: next(times_ms))
    state = LiveState({"things": slow_rows}, StateChanges(), timer)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(count_passes)
        await state.newer(state.request())
        nursery.cancel_scope.cancel()

    assert len(passed) == 5
    assert passed[-1] - passed[0] >= 3
