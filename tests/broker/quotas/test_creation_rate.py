"""The rate at which connections are created."""

from __future__ import annotations

import pytest

from broker.config import Config
from broker.quotas.creation_rate import CreationRate
from tests.broker.quotas.timers import ManualTimer


@pytest.mark.parametrize(("limit", "waits_ms"), [(10, 100), (0, 1000)])
def test_connections_above_the_rate_wait(limit: int, waits_ms: int) -> None:
    """At most one window; then the code that waits is called."""
    hand, resumed = ManualTimer(), list[bool]()
    rate = CreationRate(Config(), hand.timer, lambda: resumed.append(True))
    rate.limit = limit
    while not rate.is_throttled:
        rate.record()

    hand.pass_ms(waits_ms - 1)
    assert (rate.is_throttled, resumed) == (True, [])
    hand.pass_ms(1)
    assert (rate.is_throttled, resumed) == (False, [True])


def test_without_a_limit_nothing_is_measured() -> None:
    """A later limit applies to later connections."""
    hand = ManualTimer()
    rate = CreationRate(Config(), hand.timer, lambda: None)

    for _ in range(10_000):
        rate.record()

    assert not rate.is_throttled
