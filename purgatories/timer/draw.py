"""Draws a task's path through the wheels: `python -m purgatories.timer.draw 450`.

    level 2      20 ms  ▸ · ● · · · · · ...  400 .. 799 ms
    level 1       1 ms  ▸ · · · · · · · ...  400 .. 419 ms      that bucket fires at 440 ms
There is one such picture for each stop: the wheels as rows of buckets, the task as a dot in one of
them, and what happens when that bucket fires.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from .delay_queue import DelayQueue
from .task_counter import TaskCounter
from .timer_task import TimerTask
from .timer_task_entry import TimerTaskEntry
from .timing_wheel import TimingWheel

DELAY_MS_MAX = 10**12  # ten levels


class Stop(NamedTuple):
    """A position of the task: in the bucket at ``bucket_ms`` of one of ``wheels``, finest first."""

    now_ms: int
    level: int
    bucket_ms: int
    rows: list[str]


def draw(delay_ms: int, *, tick_ms: int = 1, wheel_size: int = 20) -> str:
    """Return the picture of a task of *delay_ms*, added at time 0."""
    wheels = f"{wheel_size} buckets a wheel, ticks from {tick_ms} ms"
    lines = [f"A task of {delay_ms:,} ms, added at 0; {wheels}", "▸ now   ● the task"]
    now_ms = 0
    for stop in _stops(delay_ms, tick_ms, wheel_size):
        verb = "moves" if now_ms else "goes"
        lines += ["", f"at {stop.now_ms:,} ms it {verb} into level {stop.level}", *stop.rows]
        now_ms = stop.bucket_ms
        lines.append(f"  that bucket fires at {now_ms:,} ms")
    lines += ["", f"at {now_ms:,} ms it runs"]
    return "\n".join(lines)


def _stops(delay_ms: int, tick_ms: int, wheel_size: int) -> Iterator[Stop]:
    counter = TaskCounter()
    queue = DelayQueue(lambda: delay_ms)
    finest = TimingWheel(tick_ms, wheel_size, 0, counter, queue)
    entry = TimerTaskEntry(TimerTask(delay_ms), delay_ms)
    now_ms = 0
    while finest.add(entry):
        bucket = queue.poll()
        assert bucket is entry.list
        assert bucket is not None
        wheels = _levels(finest)
        level = next(i for i, wheel in enumerate(wheels, 1) if bucket in wheel.buckets)
        bucket_ms = bucket.expiration_ms
        rows = [
            _row(wheel, i, bucket_ms if i == level else None)
            for i, wheel in reversed([*enumerate(wheels, 1)])
        ]
        yield Stop(now_ms, level, bucket_ms, rows)
        now_ms = bucket_ms
        finest.advance_clock(now_ms)
        bucket.flush(lambda _: False)


def _levels(wheel: TimingWheel | None) -> list[TimingWheel]:
    return [] if wheel is None else [wheel, *_levels(wheel.overflow_wheel)]


def _row(wheel: TimingWheel, level: int, bucket_ms: int | None) -> str:
    """Draw one wheel: its tick, its buckets from the current one on, and the time they span."""
    cells = ["▸"] + ["·"] * (wheel.wheel_size - 1)
    if bucket_ms is not None:
        cells[(bucket_ms - wheel.current_time_ms) // wheel.tick_ms] = "●"
    span = f"{wheel.current_time_ms:,} .. {wheel.end_ms - 1:,} ms"
    return f"  level {level} {wheel.tick_ms:>7,} ms  {' '.join(cells)}  {span}"


def main() -> None:
    """Read the delay from the command line and print the picture."""
    parser = argparse.ArgumentParser(prog="python -m purgatories.timer.draw", description=__doc__)
    parser.add_argument("delay_ms", type=int, nargs="?", default=450)
    parser.add_argument("--tick-ms", type=int, default=1)
    parser.add_argument("--wheel-size", type=int, default=20)
    options = parser.parse_args()
    if not 0 <= options.delay_ms <= DELAY_MS_MAX:
        parser.error(f"delay_ms: {options.delay_ms} given, 0 to {DELAY_MS_MAX} allowed")
    if options.tick_ms < 1:
        parser.error(f"--tick-ms: {options.tick_ms} given, at least 1 allowed")
    if not 2 <= options.wheel_size <= 60:
        parser.error(f"--wheel-size: {options.wheel_size} given, 2 to 60 allowed")
    picture = draw(options.delay_ms, tick_ms=options.tick_ms, wheel_size=options.wheel_size)
    print(picture)  # noqa: T201 - a command


if __name__ == "__main__":
    main()
