"""Prints how tasks move through the timing wheels: one JSON object for each time that has an event.

An object has "events", which occur at that time, and "timer", the state of the timer after them.
The command does not wait: it sets the clock to the time of the next event.
"""

from __future__ import annotations

import argparse
import json

from purgatories.timer.path import path

DELAY_MS_MAX = 10**12  # ten levels
TICK_MS_MIN = 0.001
TASKS_MAX = 100


def main() -> int:
    """Read the delays from the command line and print each step; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m purgatories.timer", description=__doc__)
    parser.add_argument("delay_ms", type=int, nargs="+", help="the delays of the tasks, in ms")
    parser.add_argument(
        "--cancel",
        action="append",
        default=[],
        metavar="DELAY@TIME",
        type=_cancel,
        help="cancel the task of this delay at this time, both in ms; may be repeated",
    )
    parser.add_argument(
        "--tick-ms", type=float, default=1, help="of the finest wheel, also a fraction (default: 1)"
    )
    parser.add_argument(
        "--wheel-size", type=int, default=20, help="the buckets of each wheel (default: 20)"
    )
    given = parser.parse_args()
    for delay_ms in given.delay_ms:
        if not 0 <= delay_ms <= DELAY_MS_MAX:
            parser.error(f"delay_ms: {delay_ms} given, 0 to {DELAY_MS_MAX} allowed")
    if len(given.delay_ms) > TASKS_MAX:
        parser.error(f"delay_ms: {len(given.delay_ms)} given, at most {TASKS_MAX} allowed")
    if not TICK_MS_MIN <= given.tick_ms <= DELAY_MS_MAX:
        parser.error(f"--tick-ms: {given.tick_ms:g} given, {TICK_MS_MIN} to {DELAY_MS_MAX} allowed")
    if not 2 <= given.wheel_size <= 60:
        parser.error(f"--wheel-size: {given.wheel_size} given, 2 to 60 allowed")
    for delay_ms, _ in given.cancel:
        if delay_ms not in given.delay_ms:
            parser.error(f"--cancel: no task has the delay {delay_ms}")
    steps = path(
        given.delay_ms, dict(given.cancel), tick_ms=given.tick_ms, wheel_size=given.wheel_size
    )
    for step in steps:
        print(json.dumps(step))  # noqa: T201 - a command
    return 0


def _cancel(text: str) -> tuple[int, int]:
    delay, _, at = text.partition("@")
    try:
        return int(delay), int(at)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not DELAY@TIME, both in ms") from None


if __name__ == "__main__":
    main()
