"""The clock."""

from __future__ import annotations

import pytest
import trio

from broker.common.clock import TrioClock

pytestmark = pytest.mark.anyio


async def test_both_times_move_together() -> None:
    """Waits and record timestamps have the same time."""
    clock = TrioClock(epoch_ms=1_000_000)
    before = clock.now_ms()

    await trio.sleep(12.5)

    assert clock.now_ms() - before == pytest.approx(12_500)
    assert clock.wall_ms() == 1_012_500
