"""A bound on the memory of requests received in part."""

from __future__ import annotations

import pytest

from broker.network.serving.memory_pool import MemoryPool, memory_pool


def test_a_request_may_reserve_more_than_is_left() -> None:
    """Otherwise a request as large as the pool could never be received."""
    pool = MemoryPool(100)
    pool.exchange(0, 99)
    assert not pool.is_exhausted

    assert pool.exchange(0, 1000) == 1000
    assert pool.is_exhausted


def test_the_end_of_an_exhaustion_is_reported() -> None:
    """A release that leaves the pool exhausted is not reported."""
    pool = MemoryPool(100)
    first, second = pool.exchange(0, 50), pool.exchange(0, 100)
    reported: list[bool] = []
    pool.on_freed = lambda: reported.append(pool.is_exhausted)

    first = pool.exchange(first, 10)
    assert not reported
    pool.exchange(second, 0)

    assert (first, reported) == (10, [False])


@pytest.mark.parametrize("size_bytes", [0, -1])
def test_a_size_that_is_not_positive_is_no_bound(size_bytes: int) -> None:
    """``queued.max.request.bytes`` has this meaning in Kafka."""
    assert memory_pool(size_bytes) is None
    assert memory_pool(1) is not None
