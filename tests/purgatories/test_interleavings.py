"""Every interleaving of two actions on one operation leaves the purgatory consistent.

The second action runs before one step of the first one, once for each step (`interleavings.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import pytest

from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.builds import only_pure
from tests.purgatories.interleavings import meeting
from tests.purgatories.manual_clock import ManualClock, MockOperation, MockTryLockOperation

pytestmark = only_pure("Python traces no steps of compiled functions")

DELAY_MS = 5
LATE_MS = 1000


class World:
    """A purgatory with one operation on two keys, and what two threads may do to it."""

    def __init__(self, operation_type: type[Any], *, is_waiting: bool) -> None:
        self.clock = ManualClock()
        self.timer = SystemTimer("interleaved", now_ms=self.clock, wheel_size=3)
        self.purgatory = DelayedOperationPurgatory[Any](
            "interleaved", self.timer, purge_interval=0, shards=2
        )
        self.operation = operation_type(DELAY_MS)
        self.had_event = self.was_watched = self.was_timed = False
        self.was_abandoned = self.was_cancelled = False
        if is_waiting:
            self.watch()

    def watch(self) -> None:
        """Make the operation wait on both keys; it may wait already."""
        self.was_watched = self.was_timed = True
        self.purgatory.try_complete_else_watch(self.operation, ["a", "b"])

    def event(self) -> None:
        """Meet the condition and check a key."""
        self.had_event = self.operation.completable = True
        self.purgatory.check_and_complete("b", "event")

    def late_event(self) -> None:
        """Meet the condition, and check a key on which the operation waits only from now on."""
        self.had_event = self.operation.completable = True
        self.purgatory.watch_also(self.operation, "c")
        self.purgatory.check_and_complete("c", "event")

    def force(self) -> None:
        """Complete the operation whatever its condition."""
        self.operation.force_complete("forced")

    def abandon(self) -> None:
        """Give the operation up."""
        self.was_abandoned = True
        self.operation.abandon()

    def cancel(self) -> None:
        """Remove the operations of one key."""
        self.was_cancelled = bool(self.purgatory.cancel_for_key("a")) or self.was_cancelled

    def restart(self) -> None:
        """Add the operation to the timer again."""
        self.was_timed = True
        self.timer.add(self.operation)

    def stop_timer(self) -> None:
        """Cancel the timer task of the operation."""
        self.was_cancelled = True
        self.operation.cancel()

    def expire(self) -> None:
        """Advance the clock past the delay."""
        self.clock.now_ms += 2 * DELAY_MS
        self.timer.advance_clock(0)

    def purge(self) -> None:
        """Purge, as the reaper does after a step."""
        self.clock.now_ms += 0.25
        self.purgatory.purge_if_due()

    def check(self) -> None:
        """Check every promise, now and after all delays."""
        operation = self.operation
        if self.had_event and self.was_watched and not self.was_cancelled:
            assert operation.is_completed, "the event was lost"
        assert self.purgatory.num_delayed() == operation.is_waiting, "a dead entry is counted"
        self.clock.advance_to(self.clock() + LATE_MS, self.timer)
        if self.was_timed and not self.was_cancelled:
            assert operation.is_completed, "the timeout was lost"
        assert operation.completions <= 1
        if operation.is_completed and not self.was_abandoned:
            assert operation.completions == 1
        assert operation.expiries <= operation.completions
        assert self.purgatory.num_delayed() == 0
        self.purgatory._begin_purge()  # noqa: SLF001 - a purge at any time
        self.purgatory._purge()  # noqa: SLF001 - a purge at any time
        assert not operation.is_completed or self.purgatory.watched() == 0


WATCH = World.watch
ACTIONS: list[Callable[[World], None]] = [
    World.event,
    World.late_event,
    World.force,
    World.expire,
    World.purge,
    World.restart,
    World.cancel,
    World.stop_timer,
]


def interleave(
    operation_type: type[Any],
    first: Callable[[World], None],
    second: Callable[[World], None],
    is_waiting: bool,
) -> int:
    """Play every interleaving of the two; returns their number."""
    with meeting() as met:
        met.rehearse(partial(first, World(operation_type, is_waiting=is_waiting)))
        for at in count():
            world = World(operation_type, is_waiting=is_waiting)
            if not met.interleave(partial(first, world), partial(second, world), at):
                return at
            world.check()
    raise AssertionError


@pytest.mark.parametrize("operation_type", [MockOperation, MockTryLockOperation])
@pytest.mark.parametrize("action", [WATCH, *ACTIONS])
def test_the_steps_of_an_action_are_the_same_in_each_run(
    operation_type: type[Any], action: Callable[[World], None]
) -> None:
    """After the rehearsal; otherwise the interleavings would not be all."""
    is_waiting = action is not WATCH
    with meeting() as met:
        runs = [
            met.rehearse(partial(action, World(operation_type, is_waiting=is_waiting)))
            for _ in range(4)
        ]
    assert len(set(runs[1:])) == 1
    assert runs[1] > 10


@pytest.mark.parametrize("operation_type", [MockOperation, MockTryLockOperation])
@pytest.mark.parametrize("second", [WATCH, *ACTIONS, World.abandon])
def test_an_operation_is_added_while_another_thread_acts(
    operation_type: type[Any], second: Callable[[World], None]
) -> None:
    """No event and no timeout is lost, nothing completes twice, nothing remains listed."""
    assert interleave(operation_type, WATCH, second, is_waiting=False) > 0


@pytest.mark.parametrize("operation_type", [MockOperation, MockTryLockOperation])
@pytest.mark.parametrize("second", [WATCH, *ACTIONS, World.abandon])
@pytest.mark.parametrize("first", ACTIONS)
def test_two_threads_act_on_a_waiting_operation(
    operation_type: type[Any], first: Callable[[World], None], second: Callable[[World], None]
) -> None:
    """No event and no timeout is lost, nothing completes twice, nothing remains listed."""
    assert interleave(operation_type, first, second, is_waiting=True) > 0
