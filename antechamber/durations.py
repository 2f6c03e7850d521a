"""How long something took, as people would say it."""

from __future__ import annotations


def told(us: float) -> str:
    """Microseconds, in the unit and with the digits that matter."""
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
