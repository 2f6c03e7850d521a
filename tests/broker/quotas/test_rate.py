"""Rates over time windows."""

from __future__ import annotations

import pytest

from broker.quotas.rate import Rate

WINDOWS, WINDOW_MS = 11, 1000


def test_a_burst_is_spread_over_all_windows_but_one() -> None:
    """A burst counts as if it had lasted ten seconds."""
    rate = Rate(WINDOWS, WINDOW_MS)

    rate.record(20_000, 0)

    assert rate.per_second(0) == 2000
    assert rate.elapsed_ms(0) == 10_000


def test_the_measured_time_grows_to_all_windows() -> None:
    """The present window counts up to now."""
    rate = Rate(WINDOWS, WINDOW_MS)
    rate.record(1, 0)

    elapsed = [rate.elapsed_ms(now_ms) for now_ms in (1, 999, 1000, 5500, 10_999)]

    assert elapsed == [10_001, 10_999, 10_000, 10_500, 10_999]


def test_old_samples_are_removed() -> None:
    """A sample expires all windows after its last event."""
    rate = Rate(WINDOWS, WINDOW_MS)
    rate.record(1000, 0)
    rate.record(1000, 999)

    assert rate.per_second(11_998) == pytest.approx(2000 / 11.998)
    assert rate.per_second(11_999) == 0


def test_a_steady_stream_has_its_rate() -> None:
    """100 every 100 ms are 1000 per second."""
    rate = Rate(WINDOWS, WINDOW_MS)
    for now_ms in range(0, 60_000, 100):
        rate.record(100, now_ms)

    assert rate.per_second(60_000) == pytest.approx(1000, rel=0.05)


def test_a_negative_amount_undoes_another() -> None:
    """The rate is that without both."""
    rate = Rate(WINDOWS, WINDOW_MS)
    rate.record(500, 0)
    rate.record(-500, 10)

    assert rate.per_second(10) == 0


def test_an_unused_rate_is_idle() -> None:
    """By the last event, not by the first."""
    rate = Rate(WINDOWS, WINDOW_MS)
    rate.record(1, 0)
    rate.record(1, 500)

    assert not rate.is_idle(10_499, 10_000)
    assert rate.is_idle(10_500, 10_000)
