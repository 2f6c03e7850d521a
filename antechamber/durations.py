"""Durations with a suitable unit: ``120 µs``, ``1.3 s``, ``2 m 05 s``."""

from __future__ import annotations


def format_us(us: float) -> str:
    """A duration in microseconds, in the largest suitable unit and with two or three digits."""
    if us < 1000:
        return f"{us:.0f} µs"
    if us < 9_950:
        return f"{us / 1000:.1f} ms"
    if us < 999_500:
        return f"{us / 1000:.0f} ms"
    if us < 99_950_000:
        return f"{us / 1_000_000:.1f} s"
    minutes, seconds = divmod(round(us / 1_000_000), 60)
    if minutes < 100:
        return f"{minutes} m {seconds:02} s"
    return f"{minutes // 60} h {minutes % 60:02} m"
