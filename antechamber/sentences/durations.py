"""Durations with a suitable unit: ``120 µs``, ``1.3 s``, ``2 m 05 s``."""

from __future__ import annotations

import argparse
import re

_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION = re.compile(r"([0-9]{1,12})(ms|s|m|h|d)", re.ASCII)


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


def milliseconds(text: str) -> int:
    """The milliseconds of an argument such as ``45s``; raises `ArgumentTypeError`."""
    match = _DURATION.fullmatch(text)
    if match is None:
        units = ", ".join(_UNITS_MS)
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number with a unit of {units}")
    return int(match[1]) * _UNITS_MS[match[2]]
