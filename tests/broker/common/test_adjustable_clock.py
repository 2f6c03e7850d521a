"""The clock that can be frozen, moved forwards and run at another speed."""

from __future__ import annotations

from math import inf

import pytest
import trio

from broker.common.adjustable_clock import AdjustableClock

pytestmark = pytest.mark.anyio

EPOCH_MS = 1_700_000_000_000


async def test_it_runs_with_real_time_at_first() -> None:
    """Both of its times move."""
    clock = AdjustableClock(EPOCH_MS)
    began_ms = clock.now_ms()

    await trio.sleep(2)

    assert clock.now_ms() == pytest.approx(began_ms + 2000)
    assert clock.wall_ms() == pytest.approx(EPOCH_MS + 2000, abs=1)


async def test_a_frozen_clock_does_not_move() -> None:
    """No time is reached by sleeping."""
    clock = AdjustableClock(EPOCH_MS)
    clock.freeze()
    began_ms = clock.now_ms()

    await trio.sleep(2)

    assert (clock.now_ms(), clock.wall_ms()) == (began_ms, EPOCH_MS)
    assert clock.seconds_until(began_ms + 1) == inf
    assert clock.seconds_until(began_ms) <= 0


async def test_it_continues_where_it_was_frozen() -> None:
    """Nothing catches up."""
    clock = AdjustableClock(EPOCH_MS)
    began_ms = clock.now_ms()
    clock.freeze()
    await trio.sleep(5)
    clock.run()

    await trio.sleep(1)

    assert clock.now_ms() == pytest.approx(began_ms + 1000)


async def test_a_moved_clock_has_reached_the_time() -> None:
    """Rounding never leaves it before the time of a timer."""
    clock = AdjustableClock(EPOCH_MS)
    clock.freeze()
    for time_ms in range(int(clock.now_ms()) + 1, int(clock.now_ms()) + 2000):
        clock.move_to(time_ms)

        assert time_ms <= clock.now_ms() < time_ms + 0.001


async def test_it_never_moves_backwards() -> None:
    """A time in the past leaves it as it is."""
    clock = AdjustableClock(EPOCH_MS)
    clock.freeze()
    began_ms = clock.now_ms()

    clock.move_to(began_ms - 1000)

    assert clock.now_ms() == began_ms


async def test_at_another_speed_time_passes_faster() -> None:
    """Sleeps are shorter in the same ratio."""
    clock = AdjustableClock(EPOCH_MS)
    clock.run(10)
    began_ms = clock.now_ms()

    assert clock.seconds_until(began_ms + 30_000) == pytest.approx(3)
    await trio.sleep(3)

    assert clock.now_ms() == pytest.approx(began_ms + 30_000)
    assert clock.wall_ms() == pytest.approx(EPOCH_MS + 30_000, abs=1)
