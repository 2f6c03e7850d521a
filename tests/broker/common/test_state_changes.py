"""Notifications that broker state may have changed."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from broker.common.state_changes import StateChanges

pytestmark = pytest.mark.anyio


async def test_one_notification_wakes_all_waiting_tasks() -> None:
    """Each task is woken once."""
    changes = StateChanges()
    woken: list[int] = []

    async def wait(number: int) -> None:
        await changes.wait()
        woken.append(number)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait, 1)
        nursery.start_soon(wait, 2)
        await trio.testing.wait_all_tasks_blocked()
        assert woken == []
        changes.notify()

    assert sorted(woken) == [1, 2]


async def test_a_notification_before_the_wait_does_not_end_it() -> None:
    """A task checks its condition before it waits, so it needs later notifications only."""
    changes = StateChanges()
    changes.notify()

    with trio.move_on_after(1) as scope:
        await changes.wait()

    assert scope.cancelled_caught


async def test_the_event_of_the_next_notification() -> None:
    """It remains set, so a notification between two waits is not lost."""
    changes = StateChanges()
    event = changes.next()

    changes.notify()

    assert event.is_set()
    assert not changes.next().is_set()
