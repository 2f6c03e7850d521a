"""The signal that something has moved."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from broker.common.state_changes import Changes

pytestmark = pytest.mark.anyio


async def test_all_who_wait_are_woken_together() -> None:
    """One call wakes everybody, once."""
    changes = Changes()
    woken: list[int] = []

    async def wait(who: int) -> None:
        await changes.moved()
        woken.append(who)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait, 1)
        nursery.start_soon(wait, 2)
        await trio.testing.wait_all_tasks_blocked()
        assert woken == []
        changes.notify()

    assert sorted(woken) == [1, 2]


async def test_what_came_before_does_not_count() -> None:
    """Who waits has looked before, so only what comes afterwards is news."""
    changes = Changes()
    changes.notify()

    with trio.move_on_after(1) as scope:
        await changes.moved()

    assert scope.cancelled_caught
