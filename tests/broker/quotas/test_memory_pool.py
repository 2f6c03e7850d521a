"""Memory for incomplete requests."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from broker.quotas.memory_pool import MemoryPool, memory_pool

pytestmark = pytest.mark.anyio


def test_the_last_request_may_take_more_than_is_available() -> None:
    """Otherwise a request as large as the pool would never be read."""
    pool = MemoryPool(100)
    pool.exchange(0, 99)
    assert not pool.is_exhausted

    assert pool.exchange(0, 1000) == 1000
    assert pool.is_exhausted


async def test_released_memory_wakes_waiters() -> None:
    """When the pool is no longer exhausted."""
    pool = MemoryPool(100)
    first, second = pool.exchange(0, 50), pool.exchange(0, 100)
    woken = []

    async def wait() -> None:
        await pool.freed()
        woken.append(pool.is_exhausted)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        first = pool.exchange(first, 10)
        await trio.testing.wait_all_tasks_blocked()
        assert not woken
        pool.exchange(second, 0)
        await trio.testing.wait_all_tasks_blocked()

    assert (first, woken) == (10, [False])


@pytest.mark.parametrize("size_bytes", [0, -1])
def test_no_size_is_no_limit(size_bytes: int) -> None:
    """As Kafka reads ``queued.max.request.bytes``."""
    assert memory_pool(size_bytes) is None
    assert memory_pool(1) is not None
