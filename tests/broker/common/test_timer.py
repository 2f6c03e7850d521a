"""Tests of the tick of the broker's timers."""

from __future__ import annotations

from math import inf

import pytest

from broker.common.timer import TICK_MS, new_timer
from purgatories.timer.timer_task import TimerTask
from tests.purgatories.manual_clock import ManualClock


@pytest.mark.parametrize("began_ms", [0.0, 123_456.3, 1e10 + 0.7])
def test_an_expiration_is_not_early_and_at_most_a_tick_late(began_ms: float) -> None:
    """For delays of a tick to a day, each through all of its wheels."""
    clock = ManualClock(began_ms)
    timer = new_timer("t", clock)
    late_ms = []

    class Task(TimerTask):
        def run(self) -> None:
            late_ms.append(clock() - (began_ms + self.delay_ms))

    for delay_ms in (TICK_MS, 1, 5, 500, 45_000, 86_400_000):
        timer.add(Task(delay_ms))
    while (next_ms := timer.next_expiration_ms) < inf:
        clock.now_ms = next_ms
        timer.advance_clock(0)
    assert len(late_ms) == 6
    assert 0 <= min(late_ms) <= max(late_ms) < TICK_MS


def test_a_tick_is_exact_in_binary() -> None:
    """So is the sum of any number of ticks: a timer rounds no time twice."""
    assert (1 / TICK_MS).is_integer()
    assert int(1 / TICK_MS).bit_count() == 1
