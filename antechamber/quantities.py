"""Numbers and durations that are arguments of the handle; an error names the argument."""

from __future__ import annotations

from datetime import timedelta
from typing import SupportsFloat

# The limits of the broker.
ADVANCE_MAX_S = 366 * 86_400
WAIT_MAX_S = 3_600
SPEED_MIN, SPEED_MAX = 0.001, 1_000.0


def whole_milliseconds(name: str, duration: float | timedelta, most_s: float) -> int:
    """The milliseconds of a duration in seconds from 0 to *most_s*.

    Raises `TypeError` and `ValueError`, with the *name* of the argument.
    """
    seconds = duration.total_seconds() if isinstance(duration, timedelta) else duration
    if not isinstance(seconds, SupportsFloat):
        raise TypeError(f"{name}: {duration!r} is neither a number of seconds nor a timedelta")
    if not 0 <= seconds <= most_s:
        raise ValueError(f"{name}: {seconds} is not a number of seconds from 0 to {most_s}")
    return round(seconds * 1000)


def node_id(node: object) -> int:
    """The id of a node, which is given as its id or as a `Node`; raises `TypeError`."""
    number = getattr(node, "id", node)
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError(f"node: {node!r} is neither the id of a node nor a Node")
    return number


def decimal_speed(speed: float) -> str:
    """The speed of a clock as a decimal number; raises `TypeError` and `ValueError`."""
    if not isinstance(speed, SupportsFloat):
        raise TypeError(f"speed: {speed!r} is not a number")
    if not SPEED_MIN <= speed <= SPEED_MAX:
        raise ValueError(f"speed: {speed} is not a number from {SPEED_MIN:g} to {SPEED_MAX:g}")
    return f"{speed:.10f}"
