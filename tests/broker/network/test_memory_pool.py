"""A bound on the memory of requests received in part."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from broker.network.memory_pool import MemoryPool, memory_pool

pytestmark = pytest.mark.anyio


def test_a_request_may_reserve_more_than_is_left() -> None:
    """Otherwise a request as large as the pool could never be received."""
    pool = MemoryPool(100)
    pool.exchange(0, 99)
    assert not pool.is_exhausted

    assert pool.exchange(0, 1000) == 1000
    assert pool.is_exhausted


async def test_a_waiting_task_is_woken_when_memory_is_available() -> None:
    """A release that leaves the pool exhausted does not wake it."""
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
def test_a_size_that_is_not_positive_is_no_bound(size_bytes: int) -> None:
    """``queued.max.request.bytes`` has this meaning in Kafka."""
    assert memory_pool(size_bytes) is None
    assert memory_pool(1) is not None
