"""A rate over the time since its oldest sample."""

from __future__ import annotations

import pytest

from broker.quotas.simple_rate import SimpleRate

WINDOWS, WINDOW_MS = 11, 1000


@pytest.mark.parametrize(("now_ms", "expected"), [(0, 500), (1000, 500), (4000, 125)])
def test_a_burst_counts_for_the_time_since_and_at_least_for_a_window(
    now_ms: float, expected: float
) -> None:
    """Without the empty windows before it, which `Rate` adds."""
    rate = SimpleRate(WINDOWS, WINDOW_MS)

    rate.record(500, 0)

    assert rate.per_second(now_ms) == expected


def test_a_burst_does_not_count_after_all_windows() -> None:
    """Its sample is removed."""
    rate = SimpleRate(WINDOWS, WINDOW_MS)
    rate.record(500, 0)

    assert rate.per_second(WINDOWS * WINDOW_MS) == 0
